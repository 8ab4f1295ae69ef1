"""The facts of log lines, and how they are asked for.

Slots: ``day`` and ``time`` (of the line or the first one: ``time`` is "14:03:22", ``.millis``
"14:03:22.118"), ``stamp`` (both, ISO 8601 with a T; ``.space`` with a space, ``.millis``,
``.apache``, ``.dotted``, and ``.syslog``, which leaves the year open), ``started`` and ``expires`` (dates, not asked for), ``host``,
``other_host`` (not asked for), ``ip``, ``peer`` (another address, not asked for), ``port``,
``user``, ``other_user`` (not asked for), ``service``, ``logger``, ``pid``, ``thread``, ``status``
(of HTTP; by class with ``@count: http 4``), ``size`` (bytes), ``duration`` (ms), ``seconds``,
``url``, ``request``, ``session`` (not asked for), ``version``, ``old_version`` (not asked for),
``commit``, ``file``, ``line``, ``code`` (of an error), ``attempt``, ``attempts``, ``rows``,
``percent``, ``temperature``, ``limit`` (not asked for), ``device``, ``order``, ``email``,
``amount``, ``agent``, ``entries`` (none unless counted: ``time``, ``level``, ``service``,
``message``). Marked by the wording: ``message``, ``level``, ``method`` and the rest.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from recipe import makeup
from recipe.documents.asking import (
    choice,
    date,
    group,
    integer,
    number,
    objects,
    text,
    texts,
    time,
    yes_no,
)
from recipe.facts import Fact, Record, World
from recipe.facts.fact import UNCLEAR, Form, Statement, form

MESSAGES = {
    "en": "connection lost|configuration loaded|cache cleared|job finished|disk almost full|"
    "queue is empty|listening for requests|could not open file|retrying|user logged out|"
    "certificate renewed|health check failed|backup started|no route to host|checkpoint written",
    "de": "Verbindung getrennt|Konfiguration geladen|Auftrag beendet|Festplatte fast voll|"
    "Warteschlange leer|Datei nicht gefunden|neuer Versuch|Sicherung gestartet|Tür geöffnet",
    "fr": "connexion perdue|configuration chargée|tâche terminée|disque presque plein|"
    "fichier introuvable|nouvelle tentative|sauvegarde démarrée|porte ouverte",
    "es": "conexión perdida|configuración cargada|tarea terminada|disco casi lleno|"
    "archivo no encontrado|nuevo intento|copia iniciada|puerta abierta",
    "it": "connessione persa|configurazione caricata|processo terminato|disco quasi pieno|"
    "file non trovato|nuovo tentativo|backup avviato|porta aperta",
    "pt": "ligação perdida|configuração carregada|tarefa concluída|disco quase cheio|"
    "ficheiro não encontrado|nova tentativa|cópia iniciada|porta aberta",
    "nl": "verbinding verbroken|configuratie geladen|taak voltooid|schijf bijna vol|"
    "bestand niet gevonden|nieuwe poging|back-up gestart|deur geopend",
}
SERVICES = "nginx|sshd|postgres|cron|payments-api|auth-service|scheduler|mailer|kubelet|redis|"
SERVICES += "checkout|indexer|dockerd|worker-3|gateway|billing|importer|plc-bridge|backupd|dhcpd"
LOGGERS = "com.example.orders.OrderService|app.tasks.sync|core.db.pool|net.http.Client|"
LOGGERS += "org.acme.auth.TokenFilter|scraper.pipeline|ui.window|svc.Ledger|jobs.nightly"
LEVELS = "DEBUG|INFO|WARN|ERROR|INFO|INFO|WARNING"
FILES = "worker.py|OrderService.java|main.go|pool.rs|index.js|sync.c|views.py|Handler.kt|parse.rb"
URLS = "/api/v1/orders|/login|/index.html|/static/app.css|/health|/search?q=lamp|/cart/add|"
URLS += "/wp-login.php|/users/42|/favicon.ico|/api/v2/export|/robots.txt|/img/logo.svg"

ASKED = {
    "level": text(
        "level|log level|severity|log_level|priority of the message|how severe?",
        "the level as it is written in the line",
        de="Stufe|Loglevel", fr="niveau", es="nivel", it="livello", pt="nível", nl="niveau",
    ),
    "severity": choice(
        "severity class|kind of message|severity_class|how bad is it?|alert level",
        "information/info/notice/ok, warning/warn, error/failure/err, critical/fatal/emergency, "
        "debug/trace",
        "how severe the event is",
        always=True,
    ),
    "kind": choice(
        "log type|type of log|log_type|what kind of log is it?|source type",
        "web server/access log/http, system/operating system/kernel, "
        "application/app/program, security/authentication/login, database/db, "
        "network/firewall/router, build/ci/deployment, machine/plc/industrial/sensor, mail/email, "
        "backup/storage",
        always=True,
    ),
    "day": date(
        "date|log date|event date|date_of_event|day of the line|on which day?",
        "the day of the (first) line",
        de="Datum", fr="date", es="fecha", it="data", pt="data", nl="datum",
    ),
    "time": time(
        "time|time of the event|event_time|log time|at what time?|clock time",
        "the time of the (first) line",
        de="Uhrzeit|Zeit", fr="heure", es="hora", it="ora", pt="hora", nl="tijd",
    ),
    "stamp": text("timestamp|date and time as written|time_stamp|log_timestamp|ts"),
    "host": text("host|hostname|server|host_name|machine|which computer?|node"),
    "ip": text(
        "ip|ip address|client ip|source ip|remote_addr|source_address|where does it come from?",
        "the address from which it comes",
    ),
    "target": text("destination ip|target address|dst|dest_ip|destination_address"),
    "port": integer("port|port number|tcp_port|which port?|listening port"),
    "user": text(
        "user|username|user name|account|login|user_id|who did it?", de="Benutzer",
        fr="utilisateur", es="usuario", it="utente", pt="utilizador|usuário", nl="gebruiker",
    ),
    "service": text(
        "service|process|program|daemon|process_name|which service?|component", de="Dienst|Prozess",
        fr="service|processus", es="servicio", it="servizio", pt="serviço", nl="dienst",
    ),
    "logger": text("logger|logger name|class|module|logger_name|category of the logger"),
    "pid": integer("pid|process id|process_id|number of the process"),
    "thread": text("thread|thread name|thread_name|worker|which thread?"),
    "message": text(
        "message|log message|text of the message|msg|log_message|what happened?|event text",
        "the message without time, level and the like",
        de="Meldung|Nachricht", fr="message", es="mensaje", it="messaggio", pt="mensagem",
        nl="melding|bericht",
    ),
    "error": text(
        "error|exception|error type|exception_class|which error?|error_name|cause",
        "the name of the error or exception",
    ),
    "code": text("error code|code|errno|fault number|exit or alarm code|error_code"),
    "method": text("http method|method|request method|http_method|verb"),
    "url": text("url|path|request path|resource|requested_url|uri|endpoint"),
    "status": integer("status code|http status|status|response code|http_status|response_code"),
    "size": integer("bytes|size in bytes|response size|body_bytes|bytes_sent|transferred bytes"),
    "duration": number(
        "duration in ms|response time|latency|elapsed_ms|milliseconds|how many ms did it take?"
    ),
    "seconds": number("duration in seconds|seconds|elapsed_seconds|took how many seconds?"),
    "agent": text("user agent|browser|client program|user_agent|agent string"),
    "request": text("request id|trace id|correlation id|request_id|trace|txn id"),
    "version": text("version|release|software version|build_version|which version runs?"),
    "commit": text("commit|commit hash|revision|git_sha|sha"),
    "file": text("source file|file|file name|script|source_file|in which file?"),
    "line": integer("line number|line|source_line|line_no|in which line?"),
    "attempt": integer("attempt|attempt number|try|retry_count|which attempt?"),
    "attempts": integer("maximum attempts|max retries|max_attempts|attempts allowed"),
    "rows": integer("rows|records|number of rows|row_count|items processed|records_written"),
    "failed": integer("failed tests|number of failures|failures|failed_count"),
    "percent": number("percent|usage|usage in percent|fill level|disk_usage|utilisation"),
    "temperature": number("temperature|degrees|temp|temp_c|measured temperature"),
    "device": text("device|interface|disk|device_name|sensor|unit|machine part"),
    "order": text("order|order id|job id|ticket|transaction id|batch number"),
    "email": text("e-mail address|recipient of the mail|email|mail_to|rcpt"),
    "branch": text("branch|git branch|branch_name|ref"),
    "frames": texts("stack frames|functions in the trace|call stack|functions|traceback functions"),
    "entries": objects(
        "entries|lines|log entries|events|log_lines|records in the log",
        {
            "time": time("time|at|when"),
            "level": text("level|severity|priority"),
            "service": text("service|source|component|process"),
            "message": text("message|text|event|msg"),
        },
        "each line of the log",
        de="Einträge|Zeilen", fr="entrées", es="entradas", it="voci|righe", pt="entradas",
        nl="regels",
    ),
    "success": yes_no(
        "success|successful|succeeded|ok|is_success|did it work?|completed without error",
        "whether the operation succeeded",
    ),
    "blocked": yes_no("blocked|denied|rejected|was_blocked|was it refused?|dropped"),
    "retry": yes_no("will retry|retries|retry planned|is_retried|is it tried again?"),
    "encrypted": yes_no("encrypted|tls|is_encrypted|secure connection|over tls?"),
    "cached": yes_no("cache hit|from cache|cached|served_from_cache"),
    "restart": yes_no("restart|restarted|service_restarted|was it restarted?"),
    "http": group(
        "request|http request|http|web request",
        {"method": "method|verb", "url": "path|url", "status": "status|code", "size": "bytes|size"},
    ),
    "when": group("when|timestamp|point in time", {"day": "date|day", "time": "time|at"}),
    "origin": group(
        "source|origin|where|location in the code", {"file": "file", "line": "line|line_number"}
    ),
}  # fmt: skip


class Moment(Fact):
    """A moment, which states the timestamp, the time and, where the year is written, the day."""

    def __getattr__(self, name: str) -> Form:
        return self._dated(super().__getattr__(name).text)

    @property
    def written(self) -> Form:
        """The default form."""
        return self._dated(super().written.text)

    def _dated(self, shown: str) -> Form:
        seconds = f"{self.value:%H:%M:%S}"
        day = self.value.date().isoformat() if str(self.value.year) in shown else UNCLEAR
        states = {
            "stamp": Statement(shown, shown),
            "day": Statement(day, shown.split(seconds)[0].rstrip(" T:")),
            "time": Statement(seconds[:5], seconds),
        }
        return Form(shown, states)


def _moments(world: World) -> dict[str, Fact]:
    rng = world.rng
    first = datetime.datetime(rng.randint(2016, 2026), 1, 1)
    moment = first + datetime.timedelta(seconds=rng.randint(0, 365 * 86400 - 1))
    day, hour, seconds = moment.date().isoformat(), f"{moment:%H:%M}", f"{moment:%H:%M:%S}"
    millis = f"{seconds}{rng.choice('.,')}{rng.randint(0, 999):03}"
    zone = rng.choice(("Z", "", "+02:00", "Z"))
    month = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"][
        moment.month - 1
    ]
    offset = rng.choice(("+0000", "+0200", "-0500"))
    return {
        "stamp": Moment(
            moment,
            Form(f"{day}T{millis.replace(',', '.')}{zone}"),
            space=Form(f"{day} {seconds}"),
            millis=Form(f"{day} {millis}"),
            apache=Form(f"{moment:%d}/{month}/{moment.year}:{seconds} {offset}"),
            dotted=Form(f"{moment:%d.%m.%Y} {seconds}"),
            syslog=Form(f"{month} {moment.day:>2} {seconds}"),
        ),
        "day": Fact(
            day,
            form(day, day),
            dotted=form(f"{moment:%d.%m.%Y}", day),
            compact=form(f"{moment:%Y%m%d}", day),
        ),
        "time": Fact(hour, form(seconds, hour), millis=form(millis, hour), short=form(hour, hour)),
    }


def draw(world: World) -> Mapping[str, Any]:
    """The facts of one log."""
    rng = world.rng
    moments = _moments(world)
    http = world.count("http", 2, 5)
    status = rng.choice(
        {2: (200, 201, 204), 3: (301, 302, 304), 4: (400, 401, 403, 404, 429), 5: (500, 502, 503)}[
            http
        ]
    )
    digits = "0123456789abcdef"

    def address() -> str:
        if rng.random() < 0.1:
            return "2001:db8::" + "".join(rng.choices(digits, k=4))
        return ".".join(str(rng.randint(1, 254)) for _ in range(4))

    def numbered(least: int, most: int) -> Fact:
        return world.exact(rng.randint(least, most))

    attempt = rng.randint(1, 5)
    entries, clock = [], datetime.datetime(2000, 1, 1, rng.randint(0, 20), rng.randint(0, 59))
    for _ in range(world.count("entries", 0, 0)):
        clock += datetime.timedelta(seconds=rng.randint(1, 900))
        written, gold = f"{clock:%H:%M:%S}", f"{clock:%H:%M}"
        entries.append(
            Record(
                time=Fact(gold, form(written, gold)),
                level=world.one_of(LEVELS),
                service=world.one_of(SERVICES),
                message=world.one_of(MESSAGES[world.language]),
            )
        )
    names = ["web", "db", "app", "mail", "node", "srv", "edge", "pi", "fw", "build", "nas", "cam"]
    return {
        **moments,
        "started": world.date(2015, 2017),
        "expires": world.date(2027, 2029),
        "host": world.text(f"{rng.choice(names)}{rng.choice(('-', '0', ''))}{rng.randint(1, 42)}"),
        "other_host": world.text(f"{rng.choice(names)}-{rng.randint(50, 99)}"),
        "ip": world.text(address()),
        "target": world.text(address()),
        "peer": world.text(address()),
        "port": numbered(1024, 65535),
        "user": world.text(makeup.name(rng).lower()[:8]),
        "other_user": world.text(makeup.name(rng).lower()[:8]),
        "service": world.one_of(SERVICES),
        "logger": world.one_of(LOGGERS),
        "pid": numbered(102, 65000),
        "thread": world.code("main", "pool-%-thread-%#", "Thread-%#", "exec-%#", "worker#%"),
        "status": world.exact(status),
        "size": numbered(0, 900000),
        "duration": numbered(1, 30000),
        "seconds": world.exact(round(rng.uniform(0.1, 900), rng.choice((1, 2, 3)))),
        "url": world.one_of(URLS),
        "request": world.text("".join(rng.choices(digits, k=rng.choice((8, 12, 16))))),
        "session": world.text("".join(rng.choices(digits, k=10))),
        "version": world.code("%.%#.%", "v%.%", "20##.%", "%.0.0-rc%"),
        "old_version": world.code("0.%#.%", "v0.%"),
        "commit": world.text("".join(rng.choices(digits, k=rng.choice((7, 7, 40))))),
        "file": world.one_of(FILES),
        "line": numbered(2, 1800),
        "code": world.code("E%###", "0x8007###%", "ORA-0%###", "%#", "ERR_%##", "SQLSTATE %#P0%"),
        "attempt": world.exact(attempt),
        "attempts": numbered(5, 9),
        "rows": numbered(2, 4000000),
        "failed": numbered(2, 40),
        "percent": Fact(percent := rng.randint(1, 100), form(f"{percent}%", percent)),
        "temperature": world.exact(round(rng.uniform(-20, 120), 1)),
        "limit": numbered(60, 95),
        "device": world.code("sda%", "eth%", "nvme0n%", "ttyUSB%", "axis %", "pump-0%", "M%#"),
        "order": world.code("ORD-%#####", "%#######", "batch %###", "JOB%###"),
        "email": world.email(),
        "other_email": world.email(),
        "agent": world.one_of(
            "curl/8.4.0|Mozilla/5.0 (X11; Linux x86_64)|python-requests/2.31|Googlebot/2.1|okhttp/4.9"
        ),
        "entries": entries,
    }
