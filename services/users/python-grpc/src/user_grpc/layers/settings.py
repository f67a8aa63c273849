"""Settings of the layers."""

from dataclasses import dataclass

from service_shared.environment import Environment
from service_shared.extra_work import read_extra_work, refuse_unmeasured
from service_shared.store_settings import StoreSettings, read_store_settings, refuse_beside_store

# Iterations that cost about one percent of a request at saturation (services/README.md).
_ITERATIONS_PER_PERCENT = {"threads": 155}


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSettings:
    """Layers around the servicer; the environment variable of a setting is its name in capitals."""

    store: StoreSettings
    # "threads": a pool of threads answers; "asyncio": one event loop does, and THREADS is not used.
    server: str
    # Additional cost of a request in percent, on purpose; only with BENCHMARK=1.
    extra_work: float

    @property
    def extra_iterations(self) -> int:
        """The extra work of each request."""
        return round(self.extra_work * _ITERATIONS_PER_PERCENT.get(self.server, 0))


def read_layer_settings(environment: Environment) -> LayerSettings:
    """Return the settings; raises SettingError on a wrong value."""
    settings = LayerSettings(
        store=read_store_settings(environment),
        server=environment.choice("SERVER", ("threads", "asyncio")),
        extra_work=read_extra_work(environment),
    )
    refuse_unmeasured(settings.extra_work, settings.server, _ITERATIONS_PER_PERCENT)
    refuse_beside_store(settings.store, "SERVER", settings.server, "threads")
    return settings
