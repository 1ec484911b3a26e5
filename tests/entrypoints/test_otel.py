"""What the stages did reaches OpenTelemetry: through the SDK's own exporter in memory, and over HTTP to a collector on loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from reverie import errors
from reverie.entrypoints import otel
from reverie.memory import Memory, open_memory

logs = pytest.importorskip("opentelemetry.sdk._logs", reason="the extra otel is not installed")
exporting = pytest.importorskip("opentelemetry.sdk._logs.export")
service = pytest.importorskip("opentelemetry.proto.collector.logs.v1.logs_service_pb2")

SECRET_PROMPT = "the zebra question"


def worked(folder: Path, **environment: str) -> Memory:
    memory = open_memory(folder / "home", design="qwen-code", cwd=folder, environment={"HOME": str(folder), **environment})
    memory.remember("Releases are tagged by Noor on Thursdays, never on Fridays.")
    memory.recall(SECRET_PROMPT)
    memory.dream(force=True)
    return memory


def test_the_events_have_the_studys_fields_and_are_told_once(tmp_path: Path) -> None:
    kept = exporting.InMemoryLogRecordExporter()
    provider = logs.LoggerProvider(shutdown_on_exit=False)
    provider.add_log_record_processor(exporting.SimpleLogRecordProcessor(kept))
    with worked(tmp_path) as memory:
        assert otel.export(memory, provider) == 2
        recall, dream = [each.log_record for each in kept.get_finished_logs()]
        assert (recall.event_name, dream.event_name) == ("reverie.memory.recall", "reverie.memory.dream")
        assert recall.attributes is not None and dream.attributes is not None
        told = dict(recall.attributes)
        assert told.pop("duration_ms") is not None
        assert told == {"event.name": "reverie.memory.recall", "design": "qwen-code", "query_length": len(SECRET_PROMPT),
                        "docs_scanned": 1, "docs_selected": 1, "strategy": "heuristic"}
        assert {"trigger", "status", "deduped_entries", "touched_topics", "touched_topics_count", "duration_ms"} <= set(dream.attributes)
        assert recall.timestamp == int(next(iter(memory.events(kinds=["recall"]))).at.timestamp() * 1e6) * 1_000
        assert not any(word in str(each.attributes) for each in (recall, dream) for word in ("zebra", "Noor", str(tmp_path)))
        assert otel.export(memory, provider) == 0, "told once"
        memory.recall("again")
        assert otel.export(memory, provider) == 1
    provider.shutdown()


class Collector(HTTPServer):
    """A collector on loopback: keeps what it is sent, and takes it or not."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.names: list[str] = []
        self.paths: list[str] = []
        self.status = 200


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Collector)
        data = self.rfile.read(int(self.headers["content-length"]))
        if self.headers.get("content-encoding") == "gzip":
            import gzip

            data = gzip.decompress(data)
        request = service.ExportLogsServiceRequest()
        request.ParseFromString(data)
        server.paths.append(self.path)
        if server.status == 200:
            server.names += [record.event_name for resource in request.resource_logs for scope in resource.scope_logs
                             for record in scope.log_records]
        self.send_response(server.status)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        return None


@pytest.fixture
def collector() -> Iterator[Collector]:
    server = Collector()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_collector_that_takes_nothing_loses_nothing(tmp_path: Path, collector: Collector) -> None:
    with worked(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{collector.server_port}/") as memory:
        collector.status = 400
        with pytest.raises(errors.StoreUnavailable, match="sent again"):
            otel.export(memory)
        collector.status = 200
        assert otel.export(memory) == 2
    assert collector.names == ["reverie.memory.recall", "reverie.memory.dream"]
    assert set(collector.paths) == {"/v1/logs"}


def test_nothing_is_sent_unless_a_collector_is_named(tmp_path: Path) -> None:
    with worked(tmp_path) as memory, pytest.raises(errors.WrongUse, match="OTEL_EXPORTER_OTLP_ENDPOINT"):
        otel.export(memory)
