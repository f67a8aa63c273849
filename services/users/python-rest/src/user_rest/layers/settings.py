"""Settings of the layers."""

from dataclasses import dataclass

from service_shared.environment import Environment
from service_shared.extra_work import read_extra_work, refuse_unmeasured
from service_shared.store_settings import StoreSettings, read_store_settings, refuse_beside_store

# Iterations that cost about one percent of a request at saturation (services/README.md).
_ITERATIONS_PER_PERCENT = {"gunicorn": 170, "development": 330}

_SERVERS = ("gunicorn", "development", "granian", "uvicorn")


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSettings:
    """Layers around the application; the environment variable of a setting is its name in capitals."""

    store: StoreSettings
    # "development" is Flask's own server; it reads only two of gunicorn's settings, and other servers read some.
    server: str
    # "standard" is Flask's default, the JSON of the standard library.
    json: str
    # "stored" and "computed": each answer has an ETag, and a client that has it gets 304; "computed" makes it first.
    caching: str
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
        server=environment.choice("SERVER", _SERVERS),
        json=environment.choice("JSON", ("orjson", "standard")),
        caching=environment.choice("CACHING", ("off", "stored", "computed")),
        extra_work=read_extra_work(environment),
    )
    refuse_unmeasured(settings.extra_work, settings.server, _ITERATIONS_PER_PERCENT)
    refuse_beside_store(settings.store, "SERVER", settings.server, "gunicorn")
    refuse_beside_store(settings.store, "CACHING", settings.caching, "off")
    return settings
