#!/bin/bash
# Whether the server takes connections: it listens on an address only once it does.
exec 3<>/dev/tcp/127.0.0.1/5432
