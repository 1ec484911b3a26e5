"""What the stages did, as events of OpenTelemetry: only where it is installed (the extra ``otel``) and somebody asks for it.

The journal's stream is the source: it is read from where the last export stopped, so that no prompt waits for a network, a
collector that is down loses nothing, and each event is told once. ``reverie events --export`` sends to the collector of
``OTEL_EXPORTER_OTLP_ENDPOINT``; a program hands over the ``LoggerProvider`` that it has::

    from reverie.entrypoints.otel import export
    export(memory, provider)

An event is named ``reverie.memory.extract``, ``….dream``, ``….recall`` or ``….recall.delivery``, with the study's fields and the
design as attributes. There is no prompt, no memory and no path in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reverie import errors
from reverie.core import telemetry
from reverie.core.session import Cursor

if TYPE_CHECKING:
    from reverie.core.events import Event
    from reverie.memory import Memory

CURSOR = "otel|events"
NAMES = {"delivery": "reverie.memory.recall.delivery"}
ENDPOINT, LOGS_ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"
SECONDS = 10.0              # for a collector to take them


def export(memory: Memory, provider: Any = None) -> int:
    """Send the events that came since the last export; how many they were. ``provider``: an OpenTelemetry ``LoggerProvider``.

    Without one, a provider with the OTLP exporter over HTTP is made; raises ``WrongUse`` when no collector is named or the extra
    is not installed, ``StoreUnavailable`` when the collector did not take them: then they are sent again.
    """
    records = memory.space.home.records
    known = records.cursor(CURSOR)
    events = list(memory.events(after=known.mark if known else "", kinds=telemetry.KINDS))
    if not events:
        return 0
    own = provider is None
    provider = _provider(memory) if own else provider
    try:
        logger = provider.get_logger("reverie")
        for event in events:
            logger.emit(_record(event))
        if not provider.force_flush():
            raise errors.StoreUnavailable("the collector did not take the events in time; they will be sent again")
    finally:
        if own:
            provider.shutdown()
    records.set_cursor(CURSOR, Cursor(position=events[-1].number, mark=events[-1].id))
    return len(events)


def _record(event: Event) -> Any:
    from opentelemetry._logs import LogRecord, SeverityNumber

    name = NAMES.get(event.kind, f"reverie.memory.{event.kind}")
    attributes = telemetry.attributes(event.kind, dict(event.facts))
    return LogRecord(
        timestamp=int(event.at.timestamp() * 1_000_000) * 1_000, severity_number=SeverityNumber.INFO, event_name=name, body=name,
        attributes={"event.name": name, **attributes},
    )


def _provider(memory: Memory) -> Any:
    base = memory.environment.get(ENDPOINT, "").rstrip("/")
    endpoint = memory.environment.get(LOGS_ENDPOINT) or (f"{base}/v1/logs" if base else "")
    if not endpoint:
        raise errors.WrongUse(f"no collector is named: set {ENDPOINT}, for example to http://127.0.0.1:4318")
    try:
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
        from opentelemetry.sdk._logs import LoggerProvider
        from opentelemetry.sdk._logs.export import LogRecordExportResult
        from opentelemetry.sdk.resources import Resource
    except ImportError:
        raise errors.WrongUse("OpenTelemetry is not installed: pip install 'reverie-agents[otel]'") from None
    provider = LoggerProvider(resource=Resource.create({"service.name": "reverie"}), shutdown_on_exit=False)
    exporter = OTLPLogExporter(endpoint=endpoint, timeout=SECONDS)
    processor: Any = _AtOnce(exporter, LogRecordExportResult.SUCCESS)
    provider.add_log_record_processor(processor)
    return provider


class _AtOnce:
    """A processor that sends all in one piece, and says whether it was taken; those of the SDK keep that to themselves."""

    def __init__(self, exporter: Any, success: Any) -> None:
        self._exporter, self._success = exporter, success
        self._waiting: list[Any] = []

    def on_emit(self, log_record: Any) -> None:
        from opentelemetry.sdk._logs import ReadableLogRecord

        self._waiting.append(ReadableLogRecord(
            log_record=log_record.log_record, resource=log_record.resource, limits=log_record.limits,
            instrumentation_scope=log_record.instrumentation_scope,
        ))

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        waiting, self._waiting = self._waiting, []
        return not waiting or self._exporter.export(waiting) is self._success

    def shutdown(self) -> None:
        self._exporter.shutdown()
