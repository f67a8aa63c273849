# The images of the reference services, the load driver, and Wiregauge itself.
#
#   docker build --target python --build-arg PACKAGE=users/python-rest --build-arg MODULE=user_rest .
#                                    a service in Python; services/<family>/services.yml has the arguments of each
#   docker build --target python-stubs --build-arg PACKAGE=users/python-grpc --build-arg MODULE=user_grpc .
#                                    the same with the Python stubs of the contracts below proto/
#   docker build --target stubs .    nothing but those stubs
#   docker build --target go --build-arg GO_MODULE=payload/go --build-arg PROGRAM=payload-json .
#                                    a service in Go
#   docker build --target load .     nothing but the load driver, wiregauge-load
#   docker build --target cli .      Wiregauge's command line with the load driver
#
# Builds with BuildKit and with the classic builder, which runs every stage up to the target: hence the order of the stages, and a
# default for each argument. No argument belongs to Python and to Go, since the stages of both may run.
# There is no `# syntax=` line, since that would be one more image to pull.
ARG PYTHON_IMAGE=python:3.13.15-slim-trixie@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b
ARG GO_IMAGE=golang:1.26.8-trixie@sha256:bdca99a00bc16590cb1a0bb4e698f5fc5d6a64e4d5eef13d9f18a0ee08e5fa65
ARG NODE_IMAGE=node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe

# The base of every stage that installs packages: the pinned uv, and the lock file with the packages' hashes.
FROM ${PYTHON_IMAGE} AS packages
ENV UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never UV_PYTHON=python3 UV_NO_PROGRESS=1
# One hash for each wheel that may suit: x86-64, and ARM 64 for newer and older systems. The version is that of scripts/uv.
RUN printf '%s ' uv==0.13.8 \
      --hash=sha256:e18a57b8b352eb7c8feb317b9f6f533c8f0ad9673fd6cf34bbe3cf1a9f6a8984 \
      --hash=sha256:5337c30bb893b4f9ce0ceb921ba2da0d13f649da644f40ad3bef84083bef0203 \
      --hash=sha256:0b3e8b1a4f5e405e31e2ff33de8af4744831e9f7338539671efbd8c3c94e791d > /tmp/uv.txt \
 && python3 -m venv /opt/uv \
 && /opt/uv/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes --requirement /tmp/uv.txt \
 && ln -s /opt/uv/bin/uv /usr/local/bin/uv
WORKDIR /app
COPY pyproject.toml uv.lock ./

# Any service in Python: what it starts is MODULE of the package in services/PACKAGE/src.
FROM packages AS python-packages
ARG PACKAGE=users/python-rest
# Third-party packages come first, so that a change of the source leaves their layer as it is.
COPY services/lib/python/src/pyproject.toml services/lib/python/src/
COPY services/${PACKAGE}/src/pyproject.toml services/${PACKAGE}/src/
RUN uv sync --frozen --no-dev --project "services/${PACKAGE}/src" --no-install-workspace
COPY services/lib/python/src services/lib/python/src
COPY services/${PACKAGE}/src services/${PACKAGE}/src
RUN uv sync --frozen --no-dev --project "services/${PACKAGE}/src" --no-editable

FROM ${PYTHON_IMAGE} AS python
ARG MODULE=user_rest
WORKDIR /app
COPY --from=python-packages /app/.venv /app/.venv
COPY services/users/users.json services/users/users.json
ENV PATH=/app/.venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 MODULE=${MODULE} HOST=0.0.0.0
USER 10001:10001
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s CMD ["sh", "-c", "exec python -m \"$MODULE\" --health"]
CMD ["sh", "-c", "exec python -m \"$MODULE\""]

# The stubs of the contracts.
FROM packages AS contracts
RUN uv run --isolated --frozen --only-group proto python -c 'import grpc_tools'
COPY scripts/proto scripts/proto
COPY proto proto
RUN scripts/proto /stubs

FROM scratch AS stubs
COPY --from=contracts /stubs /

# The same with the stubs of the contracts.
FROM python AS python-stubs
COPY --from=contracts /stubs /app/stubs
ENV PYTHONPATH=/app/stubs

# The standard library, compiled once for all programs in Go.
FROM ${GO_IMAGE} AS go-library
ENV CGO_ENABLED=0
RUN go build -trimpath net/http

# Any service in Go: what it starts is PROGRAM, one of those that services/GO_MODULE builds.
FROM go-library AS go-programs
# The classic builder compiles this one before the load driver: it needs no other module.
ARG GO_MODULE=users/go-rest
WORKDIR /wiregauge/services/${GO_MODULE}
# What several modules have in common, by the paths in their go.mod.
COPY services/lib/program /wiregauge/services/lib/program
COPY services/lib/pb /wiregauge/services/lib/pb
# go.sum is not there if a module needs no other.
COPY services/${GO_MODULE}/go.* ./
RUN go mod download
COPY services/${GO_MODULE} ./
RUN go build -trimpath -buildvcs=false -ldflags -w -o /programs/ ./...

FROM scratch AS go
ARG PROGRAM=go-rest
COPY --from=go-programs /programs/${PROGRAM} /program
# What the User Services read.
COPY services/users/users.json /services/users/
COPY services/users/python-rest/src/user_rest/openapi.json /services/users/python-rest/src/user_rest/
ENV HOST=0.0.0.0
USER 10001:10001
HEALTHCHECK --interval=5s --timeout=3s --start-period=60s CMD ["/program", "--health"]
CMD ["/program"]

FROM go-library AS load-modules
WORKDIR /load
COPY tools/load/go.mod tools/load/go.sum ./
RUN go mod download
# What `wiregauge-load version` prints: the hash of this source, which src/runtime/driver/source.ts makes.
ARG DRIVER_SOURCE=unknown
COPY tools/load/cmd cmd
RUN go build -trimpath -buildvcs=false -ldflags "-s -w -X main.source=${DRIVER_SOURCE}" -o /tools/ ./cmd/wiregauge-load

FROM scratch AS load
COPY --from=load-modules /tools/wiregauge-load /
# Else no container could be made of the image, not even to copy the driver out of it.
CMD ["/wiregauge-load", "version"]

# Wiregauge as its npm package has it, and its load driver, which it fetches or builds itself.
FROM ${NODE_IMAGE} AS package
WORKDIR /opt/wiregauge
COPY Dockerfile .dockerignore LICENSE THIRD-PARTY-NOTICES package.json pyproject.toml uv.lock ./
COPY dist dist
COPY proto proto
COPY scripts scripts
COPY services services
COPY suites suites
COPY tools tools

FROM load-modules AS load-cache
COPY --from=package /usr/local/bin/node /usr/local/bin/node
COPY --from=package /opt/wiregauge /opt/wiregauge
RUN RUNNER_TOOL_CACHE=/opt/load-tools node /opt/wiregauge/dist/cli.js tools

FROM package AS cli
# What counts instructions. The engine gets its files from here, so that the machine needs none.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends valgrind && rm -rf /var/lib/apt/lists/*
COPY --from=load-cache /opt/load-tools /opt/load-tools
RUN ln -s /opt/wiregauge/dist/cli.js /usr/local/bin/wiregauge
LABEL org.opencontainers.image.source=https://github.com/wiregauge/wiregauge org.opencontainers.image.licenses=Apache-2.0
# The load driver is found where a runner of GitHub Actions has them; what a start keeps goes where any user may write.
ENV RUNNER_TOOL_CACHE=/opt/load-tools XDG_CACHE_HOME=/tmp/wiregauge-cache
USER 10001:10001
WORKDIR /work
ENTRYPOINT ["wiregauge"]
CMD ["--help"]
