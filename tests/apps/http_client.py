"""HTTP clients that check every byte, and can stop the server when they are done.

usage: http_client.py HOST PORT PATH REQUESTS EXPECTED-FILE PID-FILE [OPTION]...

Each of the clients has keep-alive connections, asks on all of them before it reads from any, and starts again, so that the
server has several requests at a time. EXPECTED-FILE may be several, with commas: an answer is right if it is any of them, and
the last line says how many were which. With a PID-FILE of - the server is left running.
"""

import argparse
import collections
import gzip
import http.client
import os
import pathlib
import signal
import ssl
import threading
import time

parser = argparse.ArgumentParser(description=__doc__)
for argument in ("host", "port", "path", "requests", "expected", "pid_file"):
    parser.add_argument(argument)
parser.add_argument("--clients", type=int, default=16)
parser.add_argument("--together", type=int, default=1, help="connections of each client")
parser.add_argument("--close", action="store_true", help="a new connection for each request")
parser.add_argument("--numbered", action="store_true", help="asks for PATH?CLIENT-CONNECTION-NUMBER")
parser.add_argument("--until", help="goes on for so long as this file exists, whatever REQUESTS is")
parser.add_argument("--may-close", action="store_true", help="asks again where the server has closed a connection that it "
                    "had answered on before: HTTP lets it do so between two requests")
parser.add_argument("--may-die", action="store_true", help="asks again whenever a connection breaks or is refused")
parser.add_argument("--requests-from", help="a file of lines METHOD, PATH and headers, with tabs between them, to be asked in "
                    "turn; PATH and EXPECTED-FILE do not count then")
parser.add_argument("--answers", help="with --requests-from: where the answers go, in the order of the requests")
parser.add_argument("--tls", action="store_true", help="whatever the server's certificate is")
args = parser.parse_args()

expected = {} if args.requests_from else {pathlib.Path(f).read_bytes(): f for f in args.expected.split(",")}
lines = pathlib.Path(args.requests_from).read_text().splitlines() if args.requests_from else []
script = [line.split("\t") for line in lines]
total = int(args.requests)
counts = collections.Counter()
answers, mutex = {}, threading.Lock()
context = ssl._create_unverified_context() if args.tls else None


MOST_TOLD = 10


def wrong(name, number, why):
    """Under the mutex."""
    counts["wrong"] += 1
    if counts["wrong"] <= MOST_TOLD:
        print(f"client {name}, request {number}: {why}")


def connect():
    if args.tls:
        return http.client.HTTPSConnection(args.host, int(args.port), timeout=30, context=context)
    return http.client.HTTPConnection(args.host, int(args.port), timeout=30)


class Asker:
    """One connection after another, one request at a time."""

    def __init__(self, name):
        self.name, self.number, self.answered, self.connection = name, 0, 0, connect()
        self.broken = None

    def place(self):
        """In the script: each connection begins at another."""
        return (self.name[0] + self.name[1] * args.clients + self.number) % len(script)

    def ask(self):
        headers = {"Connection": "close"} if args.close else {}
        if script:
            method, path, *more = script[self.place()]
            headers |= dict(header.split(": ", 1) for header in more)
        else:
            method = "GET"
            path = args.path + (f"?{self.name[0]}-{self.name[1]}-{self.number}" if args.numbered else "")
        self.connection.request(method, path, headers=headers)

    def start_again(self):
        self.connection.close()
        self.connection, self.answered = connect(), 0

    def try_to_ask(self):
        self.broken = None
        try:
            self.ask()
        except OSError as error:
            self.broken = error

    def finish(self):
        """The answer to what was asked, asked again where that is allowed."""
        give_up = time.monotonic() + 30
        while True:
            try:
                if self.broken:
                    raise self.broken
                answer = self.connection.getresponse()
                body = answer.read()
                break
            except (OSError, http.client.HTTPException) as error:
                # RemoteDisconnected: closed before the first byte of an answer.
                closed = isinstance(error, (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError))
                allowed = args.may_die or (args.may_close and closed and self.answered > 0)
                if not allowed or time.monotonic() > give_up:
                    with mutex:
                        wrong(self.name, self.number, repr(error))
                    self.start_again()
                    self.number += 1
                    return
                with mutex:
                    counts["asked again"] += 1
                if isinstance(error, ConnectionRefusedError):
                    time.sleep(0.02)
                self.start_again()
                self.try_to_ask()
        self.check(answer, body)
        self.answered += 1
        self.number += 1
        if args.close:
            self.start_again()

    def check(self, answer, body):
        with mutex:
            counts["answers"] += 1
            if script:
                self.keep(answer, body)
            elif answer.status == 200 and body in expected:
                counts[expected[body]] += 1
            else:
                wrong(self.name, self.number, f"status {answer.status}, {len(body)} bytes")

    def keep(self, answer, body):
        which = self.place()
        headers = sorted(f"{k}: {v}" for k, v in answer.getheaders() if k not in ("Date", "Connection"))
        if answer.getheader("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        text = f"{' '.join(script[which])}\n{answer.status} {headers} {body!r}\n"
        if answers.setdefault(which, text) != text:
            wrong(self.name, self.number, f"answered differently before: {text[:200]}")


def client(number):
    askers = [Asker((number, n)) for n in range(args.together)]
    rounds = total // args.clients // args.together
    while os.path.exists(args.until) if args.until else rounds > 0:
        rounds -= 1
        for asker in askers:
            asker.try_to_ask()
        for asker in askers:
            asker.finish()
    for asker in askers:
        asker.connection.close()


def died(failure):
    with mutex:
        wrong(failure.thread.name, "?", repr(failure.exc_value))


threading.excepthook = died
threads = [threading.Thread(target=client, args=(n,)) for n in range(args.clients)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
if args.answers:
    pathlib.Path(args.answers).write_text("".join(answers[n] for n in sorted(answers)))
kinds = "".join(f", {counts[f]} {'/'.join(pathlib.Path(f).parts[-2:])}" for f in expected.values())
again = f", {counts['asked again']} asked again" if args.may_close or args.may_die else ""
print(f"{counts['answers']} requests{kinds if len(expected) > 1 else ''}{again}, {counts['wrong']} wrong", flush=True)
if args.pid_file != "-":
    os.kill(int(pathlib.Path(args.pid_file).read_text()), signal.SIGQUIT)
