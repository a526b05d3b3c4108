FROM debian:trixie-slim
RUN useradd --uid 999 --home-dir /var/lib/postgresql --create-home postgres
COPY native /usr/local/pgsql
COPY postgres-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
COPY pg_isready.sh /usr/local/bin/pg_isready
RUN chmod 755 /usr/local/bin/docker-entrypoint.sh /usr/local/bin/pg_isready
ENV PGDATA=/var/lib/postgresql/18/docker
VOLUME /var/lib/postgresql
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
