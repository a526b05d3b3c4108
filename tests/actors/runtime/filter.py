# A process with a filter of system calls that allows everything, and a child of it. Prints the ids of both.
import ctypes
import os
import struct
import subprocess

libc = ctypes.CDLL(None, use_errno=True)
allow = struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000)
code = ctypes.create_string_buffer(allow, len(allow))


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]


program = Program(1, ctypes.cast(code, ctypes.c_void_p))
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, ctypes.byref(program)) == 0
child = subprocess.Popen(["cat"])
print(os.getpid(), child.pid, flush=True)
child.wait()
