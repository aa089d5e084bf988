FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.base.json tsconfig.json ./
COPY apps apps
COPY libs libs
# The image brings Node.js: the one that npm scripts use on other machines stays out.
RUN node node_modules/typescript/bin/tsc -p tsconfig.json \
  && npm prune --omit=dev \
  && rm -rf node_modules/node node_modules/.bin/node

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY bin bin
RUN mkdir -p /data/blobs && chown -R node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --start-period=30s --interval=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((reply) => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/apps/standalone/src/main.js"]
