"""Keep-alive HTTP clients that check every byte, then stop the server.

usage: http_client.py HOST PORT PATH REQUESTS EXPECTED-FILE PID-FILE
"""

import http.client
import os
import pathlib
import signal
import sys
import threading

host, port, path, requests, expected_file, pid_file = sys.argv[1:]
expected = pathlib.Path(expected_file).read_bytes()
CLIENTS = 16
wrong = [0] * CLIENTS


def client(number):
    try:
        connection = http.client.HTTPConnection(host, int(port), timeout=30)
        for _ in range(int(requests) // CLIENTS):
            connection.request("GET", path)
            answer = connection.getresponse()
            wrong[number] += answer.status != 200 or answer.read() != expected
        connection.close()
    except OSError as error:
        print(f"client {number}: {error}")
        wrong[number] += 1


threads = [threading.Thread(target=client, args=(n,)) for n in range(CLIENTS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(f"{int(requests) // CLIENTS * CLIENTS} requests, {sum(wrong)} wrong", flush=True)
os.kill(int(pathlib.Path(pid_file).read_text()), signal.SIGQUIT)
