"""Opens the store in the settings."""

from collections.abc import Mapping

from service_shared.store_settings import StoreSettings
from service_shared.stores import UserStore
from service_shared.users import User


def open_store(settings: StoreSettings, users: Mapping[int, User]) -> UserStore:
    """Return the store with all its users, ready for requests; raises StoreError if it is not available in time.

    It must be opened in the process that uses it, after gevent has replaced blocking calls there.
    """
    # Imported here, since a service with its users in memory needs neither.
    from service_shared.stored_users import open_stored_users

    stored = open_stored_users(settings, users)
    if settings.store == "postgres":
        return stored
    from service_shared.cached_users import open_cached_users

    return open_cached_users(settings, stored)
