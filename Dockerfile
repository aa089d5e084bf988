# One image for all apps; the argument names it: docker run drawbridge share-api, docker run drawbridge drawbridge
# migrate
#
#   --secret id=ca,src=FILE        certificates (PEM) of an authority that the way to the package registry needs
#   --secret id=npmrc,src=FILE     an .npmrc, such as for a registry of your own
#   --build-arg EMBEDDED_POSTGRES=no   without the embedded PostgreSQL: not for standalone, 100 MB smaller
#   --build-arg REVISION=$(git rev-parse HEAD)
#
# Tag and digest: the tag says what it is, the digest decides. A mirror is named by NODE_IMAGE.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# An empty secret means no secret: docker-compose.yml always names both.
RUN --mount=type=secret,id=ca --mount=type=secret,id=npmrc \
  if [ -s /run/secrets/ca ]; then export NODE_EXTRA_CA_CERTS=/run/secrets/ca npm_config_cafile=/run/secrets/ca; fi; \
  if [ -s /run/secrets/npmrc ]; then export npm_config_userconfig=/run/secrets/npmrc; fi; \
  npm ci
COPY tsconfig.base.json tsconfig.build.json ./
COPY apps apps
COPY libs libs
ARG EMBEDDED_POSTGRES=yes
# npm writes a CycloneDX list of the packages in the image. It would leave out every package that development packages
# need too, so those are removed from package.json first. The image has its own Node.js, so the Node.js from npm is
# removed.
RUN node node_modules/typescript/bin/tsc -p tsconfig.build.json \
  && node node_modules/vite/bin/vite.js build --config apps/web/client/vite.config.mts \
  && npm prune --omit=dev \
  && npm pkg delete devDependencies \
  && npm sbom --sbom-format cyclonedx --sbom-type application > sbom.cdx.json \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node \
  && if [ "$EMBEDDED_POSTGRES" = no ]; then rm -rf node_modules/@embedded-postgres; fi

FROM ${NODE_IMAGE}
ARG REVISION=unknown
LABEL org.opencontainers.image.title=Drawbridge \
  org.opencontainers.image.description="A federated-sharing gateway: OCS Share API, WebDAV and server-to-server delivery of shares" \
  org.opencontainers.image.version=0.1.0 \
  org.opencontainers.image.licenses=Apache-2.0 \
  org.opencontainers.image.revision=${REVISION}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data OUTPUT=json
WORKDIR /app
COPY --from=build /app/package.json /app/sbom.cdx.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY bin bin
# All other files belong to root and can be read-only: apps write only below /data and /tmp. A volume takes its owner and
# mode from here.
RUN mkdir -p /data/blobs && chown -R node:node /data && chmod 700 /data /data/blobs
# A number, because a cluster that refuses root has to see that the user is not root.
USER 1000:1000
VOLUME /data
EXPOSE 8080
# OCI images do not keep this instruction, so docker-compose.yml repeats it.
HEALTHCHECK --start-period=180s --interval=5s --timeout=10s CMD ["/app/bin/drawbridge-app", "ready"]
ENTRYPOINT ["/app/bin/drawbridge-app"]
CMD ["standalone"]
