import { Readable } from 'node:stream';
import type { RemoteShare } from '#federation/remote-files';
import { parsePath, ROOT } from '#storage';
import { eventually, replyJson, startFakeServer, type DavPartner, type DavShare } from '#testing';
import { PartnerFilesStage, type StagedShare } from '../../../../testing/src/rigs/partner-files-stage';
import type { PartnerFiles } from './partner-files';

const REQUIRED = { requirements: ['must-exchange-token'] };

let stage: PartnerFilesStage;
let files: PartnerFiles;
beforeAll(async () => void (stage = await PartnerFilesStage.start()));
beforeEach(() => void (files = stage.files()));
afterEach(() => stage.clear());
afterAll(() => stage.end());

const query = (sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
  stage.test.database.dataSource.query(sql, values);
const required = (more: object = {}): Promise<StagedShare> =>
  stage.share({ flavour: 'reva', exchange: 'required', ...more }, REQUIRED);
const probe = (share: RemoteShare, by = files): Promise<unknown> => by.probe(share, ROOT, 0);

/** Exchanges the secret as another replica would: the previous token is worthless from then on. */
async function exchangeElsewhere(partner: DavPartner, { secret }: DavShare): Promise<void> {
  const body = new URLSearchParams({ grant_type: 'authorization_code', client_id: 'x', code: secret });
  await fetch(`${partner.url}/ocm/token`, { method: 'POST', body });
}

it('exchanges a secret once for all simultaneous readers, in all replicas', async () => {
  const { share, partner } = await required();
  const replicas = [files, stage.files(), stage.files()];
  for (const replica of replicas) await probe(share, replica);
  await query('UPDATE received_share SET access_token_enc = NULL, access_token_expires_at = NULL');
  const before = partner.exchanged.length;
  // The answer is held back until every replica has tried to get the claim.
  const claims = claimsSeen();
  const allTried = eventually('three claims', () => claims() >= 3);
  await exchangeAt(share, partner, allTried);
  await Promise.all(Array.from({ length: 12 }, (_one, at) => probe(share, replicas[at % 3])));
  await probe(share);
  expect(partner.exchanged.length - before).toBe(1);
});

/** Counts how often the claim was requested from now on. */
function claimsSeen(): () => number {
  const { database } = stage.test;
  const original = database.rows.bind(database);
  let count = 0;
  database.rows = (...call) => {
    if (call[0].name === 'access_token.claim') count += 1;
    return original(...call);
  };
  return () => count;
}

/** Puts an address in front of the partner's own one. It passes requests on after `opened`. */
async function exchangeAt(share: RemoteShare, partner: DavPartner, opened: Promise<unknown>): Promise<void> {
  const tokenServer = await startFakeServer((request, response) => {
    const passOn = (): Promise<Response> =>
      fetch(`${partner.url}/ocm/token`, { method: 'POST', body: new URLSearchParams(request.body) });
    void opened.then(async () => replyJson(response, 200, await (await passOn()).json()));
  });
  stage.keep(tokenServer);
  await tokenEndPointIs(share, `${tokenServer.url}/token`);
}

const tokenEndPointIs = (share: RemoteShare, url: string): Promise<unknown> =>
  query(`UPDATE peer SET profile = jsonb_set(profile, '{tokenEndPoint}', to_jsonb($2::text)) WHERE id = $1`, [
    share.peerId,
    url,
  ]);

it('stores the token encrypted', async () => {
  const { share, partner, offered } = await required();
  await probe(share);
  const [row] = await query('SELECT * FROM received_share WHERE id = $1', [share.receivedShareId]);
  const shown = partner.requests.at(-1)!.headers.authorization!.replace('Bearer ', '');
  const sealed = row!.access_token_enc as Buffer;
  expect(stage.shares.secrets.open(sealed)).toBe(shown);
  const bytes = JSON.stringify({ ...row, access_token_enc: sealed.toString('latin1') });
  for (const secret of [shown, offered.secret]) expect(bytes).not.toContain(secret);
});

it('exchanges again before a token ends, and after a refused token', async () => {
  const { share, partner, offered } = await required();
  await probe(share);
  await query(`UPDATE received_share SET access_token_expires_at = now() + interval '20 seconds'`);
  await probe(share);
  expect(partner.exchanged).toHaveLength(2);
  await exchangeElsewhere(partner, offered);
  await Promise.all([probe(share), probe(share, stage.files())]);
  expect(partner.exchanged).toHaveLength(4);
  await exchangeElsewhere(partner, offered);
  const body = Readable.from([Buffer.from('written')]);
  await files.write(share, parsePath('/a'), body);
  expect(offered.tree.textOf('/a')).toBe('written');
});

it('takes over from a process that died during an exchange', async () => {
  const { share } = await required();
  await query(`UPDATE received_share SET access_token_expires_at = now() + interval '300 milliseconds'`);
  await probe(share);
  const [row] = await query('SELECT access_token_enc AS token FROM received_share WHERE id = $1', [
    share.receivedShareId,
  ]);
  expect(row!.token).not.toBeNull();
});

it('fails if the partner gives no token, and asks again the next time', async () => {
  const { share, partner, offered } = await required();
  partner.misbehave(401, 'PROPFIND');
  await expect(probe(share)).rejects.toMatchObject({ code: 'denied' });
  partner.misbehave(null);
  await probe(share);
  partner.revoke(offered);
  await expect(probe(share)).rejects.toMatchObject({
    code: 'denied',
    detail: 'exchange of the secret: HTTP 400',
  });
});

it.each([
  ['denied', 401, { error: 'invalid_grant' }],
  ['denied', 400, { error: 'invalid_grant' }],
  ['unreachable', 400, { error: 'invalid_client' }],
  ['unreachable', 500, { error: 'server_error' }],
  ['not-understood', 400, { error: 'unsupported_grant_type' }],
  ['not-understood', 200, []],
  ['not-understood', 302, {}],
])('reports %s if the exchange gets the answer %i', async (code, status, answer) => {
  const { share } = await required();
  const exchange = stage.keep(
    await startFakeServer((_request, response) => replyJson(response, status, answer)),
  );
  await probe(share);
  await tokenEndPointIs(share, `${exchange.url}/token`);
  await query('UPDATE received_share SET access_token_enc = NULL, access_token_expires_at = NULL');
  for (let time = 1; time <= 2; time++) {
    await expect(probe(share)).rejects.toMatchObject({ code });
    expect(exchange.requests).toHaveLength(time);
  }
  expect(exchange.requests[0]!.body).toMatch(
    /^grant_type=authorization_code&client_id=receiver.example&code=/,
  );
});

it('discovers a partner again, once in a while, if its known data contradicts its demand', async () => {
  const { share, partner } = await required();
  await probe(share);
  const forgotten = (discoveredAt: number): Promise<unknown> =>
    query(
      `UPDATE peer SET profile = profile || jsonb_build_object('tokenEndPoint', NULL, 'discoveredAt', $2::bigint) WHERE id = $1`,
      [share.peerId, discoveredAt],
    );
  const discoveries = (): number => partner.requests.filter(({ path }) => path === '/.well-known/ocm').length;
  await query('UPDATE received_share SET access_token_enc = NULL, access_token_expires_at = NULL');
  await forgotten(Date.now());
  for (let time = 1; time <= 2; time++)
    await expect(probe(share)).rejects.toMatchObject({ code: 'not-understood' });
  expect(discoveries()).toBe(1);
  await forgotten(Date.now() - 3_600_000);
  await expect(probe(share)).rejects.toMatchObject({ code: 'not-understood' });
  await probe(share);
  expect(discoveries()).toBe(2);
});

describe('a secret whose exchange is only offered', () => {
  it('is used as it is', async () => {
    const { share, partner } = await stage.share({ flavour: 'reva', exchange: 'offered' });
    await probe(share);
    expect(partner.exchanged).toEqual([]);
  });

  it('is exchanged if it opens nothing, and after that the token is used first', async () => {
    const { share, partner } = await stage.share({ flavour: 'reva', exchange: 'required' });
    await probe(share);
    const asked = (): number => partner.requests.filter((one) => one.method === 'PROPFIND').length;
    expect([partner.exchanged.length, asked()]).toEqual([1, 3]);
    await probe(share, stage.files());
    expect([partner.exchanged.length, asked()]).toEqual([1, 4]);
  });
});
