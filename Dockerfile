# The image of every process: MILLRACE_ROLE says what it does. Built with `docker build -t millrace .`

FROM node:24-slim AS build
WORKDIR /app
COPY . .
RUN npm install --no-save --include=dev --include=optional --no-audit --no-fund && npm run build

FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY web/package.json web/
RUN npm install --no-save --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:24-slim
ENV NODE_ENV=production MILLRACE_HOST=0.0.0.0 MILLRACE_DATA_DIR=/data
ENV GLIBC_TUNABLES=glibc.malloc.trim_threshold=65536:glibc.malloc.tcache_count=0
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/web/dist web/dist
COPY --from=build /app/dist dist
COPY package.json ./
COPY src/sandbox/guest src/sandbox/guest
COPY examples examples
COPY senders senders
COPY docs docs
# The embedded database, where DATABASE_URL is not set.
RUN install -d -o node -g node -m 700 /data
VOLUME /data
USER node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.MILLRACE_PORT || 8080}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node itself, so that signals reach it; 10 seconds are enough for it to stop.
STOPSIGNAL SIGTERM
CMD ["node", "--max-semi-space-size=8", "dist/millrace.js", "serve"]
