# One image for all apps; the argument says which: docker run drawbridge share-api, docker run drawbridge drawbridge migrate
# Tag and digest: the tag says what it is, the digest decides.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.base.json tsconfig.json ./
COPY apps apps
COPY libs libs
# The contents of the image are listed in CycloneDX. npm would leave out of the list whatever packages for development use
# as well, so that it must not know of those any more. The image brings Node.js: npm's own goes.
RUN node node_modules/typescript/bin/tsc -p tsconfig.json \
  && node node_modules/vite/bin/vite.js build --config apps/web/client/vite.config.mts \
  && npm prune --omit=dev \
  && npm pkg delete devDependencies \
  && npm sbom --sbom-format cyclonedx --sbom-type application > sbom.cdx.json \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json /app/sbom.cdx.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY bin bin
# All else belongs to root and can be read-only: apps write below /data and /tmp.
RUN mkdir -p /data/blobs && chown -R node:node /data
# By number: a cluster that refuses root has to see that it is none.
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --start-period=30s --interval=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((reply) => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/app/bin/drawbridge-app"]
CMD ["standalone"]
