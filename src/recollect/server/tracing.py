"""Traces by OpenTelemetry, where it is installed and told where to send them; nothing otherwise."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec


@contextmanager
def span(name: str) -> Iterator[None]:
    """A span around an operation: its name and how long it took, nothing of what was said."""
    if find_spec("opentelemetry") is None:
        yield
        return
    from opentelemetry import trace

    with trace.get_tracer("recollect").start_as_current_span(name):
        yield


def configure() -> bool:
    """Sends traces where OTEL_EXPORTER_OTLP_ENDPOINT says; whether it does. Needs the extra `recollect[otel]`."""
    if not os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or find_spec("opentelemetry.sdk") is None:
        return False
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider(resource=Resource.create({"service.name": "recollect"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return True
