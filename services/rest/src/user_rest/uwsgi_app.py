"""The application as uWSGI finds it: by the name of this module, with its settings out of the environment."""

import os

from service_shared.environment import Environment
from service_shared.users import load_users

from user_rest.app import create_app
from user_rest.settings import read_settings

_settings = read_settings(Environment(os.environ))
app = create_app(load_users(_settings.users_file), _settings.extra_iterations, _settings.json)
