# Node of the very release that the project runs on, with the npm of this machine and the authorities that it trusts.
FROM debian:trixie-slim
RUN groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
COPY node /usr/local/bin/node
COPY authorities.crt /usr/local/share/authorities.crt
ENV NODE_EXTRA_CA_CERTS=/usr/local/share/authorities.crt
CMD ["node"]
