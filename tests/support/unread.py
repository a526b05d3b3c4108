"""Connections with small buffers that send whole requests and read no answer: port, each, request, times, addresses."""
import select
import socket
import sys

port, each, request, times = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode(), int(sys.argv[4])
held = []
for address in sys.argv[5:]:
    for _ in range(each):
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2304)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
        line.bind((address, 0))
        held.append(line)
        try:
            line.connect(("127.0.0.1", port))
            line.sendall(request * times)
        except OSError:
            continue
        # An answer has begun, or the connection has ended.
        select.select([line], [], [])
print("open", flush=True)
sys.stdin.read()
