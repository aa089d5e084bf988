import { setTimeout as pause } from 'node:timers/promises';
import { basicAuth, eventually, startOwnCloud, type FakePartner } from '#testing';
import { SharingWorld } from '../api/sharing-world';
import { PASSWORD } from '../edge/edge-client';
import { AMONG_FAKES } from '../federation/outgoing-world';
import { installedPostgres, PostgresPair } from './postgres-pair';
import { isFullForm } from '../../libs/testing/src/full-form';

const WRITERS = 8;
/** Milliseconds of load before and after the failover. */
const LOAD_MS = isFullForm ? 20_000 : 4_000;
const TIMEOUT_MS = 600_000;
const SHARES = '/apps/files_sharing/api/v1/shares';

interface Reply {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

const postgres = installedPostgres();

(postgres ? describe : describe.skip)(
  `two PostgreSQL servers${postgres ? '' : ' (not installed: postgresql)'}`,
  () => {
    let pair: PostgresPair;
    let world: SharingWorld;
    let partner: FakePartner;

    beforeAll(async () => {
      pair = await PostgresPair.start(postgres!);
      partner = await startOwnCloud();
      world = await SharingWorld.start({
        databaseUrl: pair.url,
        compatibility: 'owncloud10',
        env: { ...AMONG_FAKES, FEDERATION_SYNC_WAIT: '1s' },
      });
      await world.addUser('alice');
      await world.addUser('bob');
    }, TIMEOUT_MS);
    afterAll(async () => {
      await world?.stop();
      await partner?.close();
      await pair?.stop();
    }, TIMEOUT_MS);

    async function call(method: string, path: string, body: string, headers = {}): Promise<Reply> {
      const authorization = basicAuth('alice', PASSWORD);
      const reply = await fetch(world.gateway.url + path, {
        method,
        body,
        headers: { authorization, 'ocs-apirequest': 'true', ...headers },
      });
      const { status } = reply;
      return { status, retryAfter: reply.headers.get('retry-after'), body: await reply.text() };
    }
    const create = (form: Record<string, string>): Promise<Reply> =>
      call('POST', `/ocs/v2.php${SHARES}?format=json`, new URLSearchParams(form).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
      });

    it(
      'lose nothing that was acknowledged when one takes over from the other under load, and answer 503 in between',
      async () => {
        const [files, ids, federated] = [new Map<string, string>(), new Set<string>(), new Set<string>()];
        const refused: Reply[] = [];
        let isOver = false;
        const writeFile = async (name: string): Promise<boolean> => {
          const content = `content of ${name}`;
          const put = await call('PUT', `/remote.php/webdav/${name}`, content);
          const isStored = put.status === 201;
          if (isStored) files.set(name, content);
          else refused.push(put);
          return isStored;
        };
        /** One file, a share of it with a user, and one with a partner. */
        const write = async (name: string): Promise<void> => {
          if (!(await writeFile(name))) return;
          for (const [shareType, shareWith] of [
            ['0', 'bob'],
            ['6', `bea@${new URL(partner.url).host}`],
          ] as const) {
            const shared = await create({ path: `/${name}`, shareType, shareWith });
            if (shared.status !== 200) refused.push(shared);
            else {
              const { id } = (JSON.parse(shared.body) as { ocs: { data: { id: string } } }).ocs.data;
              ids.add(String(id));
              if (shareType === '6') federated.add(String(id));
            }
          }
        };
        const writer = async (number: number): Promise<void> => {
          for (let round = 0; !isOver; round++) await write(`file-${number}-${round}.txt`);
        };
        /** Other writers may all wait for the partner when the server is away; this one never does. */
        const plainWriter = async (): Promise<void> => {
          for (let round = 0; !isOver; round++) await writeFile(`plain-${round}.txt`);
        };
        const load = Promise.all([
          plainWriter(),
          ...Array.from({ length: WRITERS }, (_, number) => writer(number)),
        ]);
        await pause(LOAD_MS);
        const before = files.size;
        const awayMs = await pair.failOver();
        await pause(LOAD_MS);
        isOver = true;
        await load;
        process.stdout.write(
          `${before} files before, ${files.size - before} after a failover of ${Math.round(awayMs)} ms; ${refused.length} calls refused\n`,
        );
        expect(before).toBeGreaterThan(0);
        expect(files.size).toBeGreaterThan(before);
        expect(refused.length).toBeGreaterThan(0);
        expect(refused.filter(({ status, retryAfter }) => status !== 503 || retryAfter === null)).toEqual([]);

        for (const [name, content] of files) expect(await world.read('alice', `/${name}`)).toBe(content);
        const { data } = await world.must('GET', SHARES, { as: 'alice' });
        const listed = (data as { id: string }[]).map(({ id }) => String(id));
        expect([...ids].filter((id) => listed.filter((one) => one === id).length !== 1)).toEqual([]);
        await eventually('all deliveries', () => {
          const taken = new Set(partner.taken.map(({ providerId }) => providerId));
          return [...federated].every((id) => taken.has(id));
        });
        // The partner answered each offer; after a lost answer it may be sent again, and the partner sees the same id.
        expect(federated.size).toBeGreaterThan(0);
      },
      TIMEOUT_MS,
    );
  },
);
