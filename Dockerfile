# The standalone server: what the lock file names and nothing else, run by a user who owns nothing but the data folder.
FROM node:24-slim AS build
WORKDIR /outdial
COPY . .
RUN npm ci --ignore-scripts --no-fund --no-audit --loglevel=error
RUN node scripts/build.mjs
RUN npm ci --omit=dev --ignore-scripts --no-fund --no-audit --loglevel=error --workspace @outdial/server
RUN rm -rf packages/testkit packages/*/src packages/console/app packages/*/dist/.tsbuildinfo

FROM node:24-slim
ENV NODE_ENV=production
ENV OUTDIAL_DATA=/data
WORKDIR /outdial
RUN mkdir --mode 700 /data && chown node:node /data
COPY --from=build /outdial/node_modules node_modules
COPY --from=build /outdial/packages packages
USER node
VOLUME /data
EXPOSE 4010
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 4010}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/server/dist/bin.js"]
CMD ["serve"]
