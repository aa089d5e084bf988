import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { REPOSITORY } from '#testing';
import { debianMirror, rootOf, type Engine } from './engine';
import { succeed } from './programs';

const RELEASES: Readonly<Record<string, string>> = {
  bookworm: 'ca-certificates',
  sid: 'ca-certificates,wget,postgresql-18,redis-server,caddy,prometheus',
};
const CONTEXTS = join(REPOSITORY, 'test/deploy/images');
const NODE_IMAGE = 'drawbridge-deploy/node:local';
export const SERVICES_IMAGE = 'drawbridge-deploy/services:local';
export const PRODUCT_IMAGE = 'drawbridge:deploy';
export const NEXT_IMAGE = 'drawbridge:next';

/** Variables of docker-compose.yml that replace its images by images of Debian's packages. */
export const IMAGES = {
  DRAWBRIDGE_IMAGE: PRODUCT_IMAGE,
  POSTGRES_IMAGE: SERVICES_IMAGE,
  REDIS_IMAGE: SERVICES_IMAGE,
  CADDY_IMAGE: SERVICES_IMAGE,
  PROMETHEUS_IMAGE: SERVICES_IMAGE,
};

/** Builds an image that needs nothing from a network: the engine has no bridge of its own. */
const buildAlone = (engine: Engine, image: string, context: string): Promise<string> =>
  engine.docker(['build', '-q', '--network', 'none', '-t', image, context]);

/** Builds the base images of docker-compose.yml and of the Dockerfile, from Debian's packages and the Node.js of the npm packages. */
export async function makeBases(engine: Engine): Promise<void> {
  for (const [release, packages] of Object.entries(RELEASES)) {
    const image = `drawbridge-deploy/debian:${release}`;
    if ((await engine.tryDocker(['image', 'inspect', image])).code === 0) continue;
    const root = rootOf(release);
    rmSync(root, { recursive: true, force: true });
    await succeed('debootstrap', [
      '--variant=minbase',
      `--include=${packages}`,
      release,
      root,
      debianMirror(),
    ]);
    await succeed('sh', ['-c', `tar -C ${root} -c . | docker import - ${image}`], {
      env: { DOCKER_HOST: engine.host },
    });
    rmSync(root, { recursive: true });
  }
  const node = mkdtempSync(join(tmpdir(), 'drawbridge-node-'));
  cpSync(join(CONTEXTS, 'node'), node, { recursive: true });
  cpSync(realpathSync(join(REPOSITORY, 'node_modules/.bin/node')), join(node, 'node'));
  // Where `npm` itself is: its global directory is another one when this product's own Node.js runs it.
  const npm = realpathSync((await succeed('sh', ['-c', 'command -v npm'])).trim());
  cpSync(dirname(dirname(npm)), join(node, 'npm'), { recursive: true, dereference: true });
  await buildAlone(engine, NODE_IMAGE, node);
  rmSync(node, { recursive: true });
  await buildAlone(engine, SERVICES_IMAGE, join(CONTEXTS, 'services'));
}

/** Builds the product with the Dockerfile, with this machine's settings for access to the packages. */
export async function buildProduct(engine: Engine): Promise<void> {
  const secrets = {
    ca: process.env.NODE_EXTRA_CA_CERTS ?? '',
    npmrc: join(homedir(), '.npmrc'),
  };
  await engine.docker([
    ...['build', '--network', 'host', '-t', PRODUCT_IMAGE, '--build-arg', `NODE_IMAGE=${NODE_IMAGE}`],
    ...['--build-arg', 'REVISION=of-the-test'],
    ...Object.entries(secrets).flatMap(([id, file]) =>
      existsSync(file) ? ['--secret', `id=${id},src=${file}`] : [],
    ),
    REPOSITORY,
  ]);
}

/** Builds the same with one more change of the schema, as in a newer version. */
export async function buildNext(engine: Engine): Promise<void> {
  const context = mkdtempSync(join(tmpdir(), 'drawbridge-next-'));
  mkdirSync(context, { recursive: true });
  writeFileSync(
    join(context, 'later.js'),
    `const { MIGRATIONS } = require('./index.js');
class Later1999999999999 {
  name = 'Later1999999999999';
  async up(runner) { await runner.query('ALTER TABLE instance ADD COLUMN later text'); }
  async down() {}
}
MIGRATIONS.push(Later1999999999999);
`,
  );
  const folder = '/app/dist/libs/persistence/src/migrations';
  writeFileSync(
    join(context, 'Dockerfile'),
    `FROM ${PRODUCT_IMAGE}
USER 0
COPY later.js ${folder}/later.js
RUN echo "require('./later.js');" >> ${folder}/index.js
USER 1000:1000
`,
  );
  await buildAlone(engine, NEXT_IMAGE, context);
  rmSync(context, { recursive: true });
}
