FROM debian:trixie-slim
COPY nats-server /usr/local/bin/nats-server
ENTRYPOINT ["nats-server"]
CMD ["--config", "/etc/nats/nats-server.conf"]
