import { Database, PeerRepository } from '#persistence';
import { SecretBox } from '#platform';
import { basicAuth, type TestGateway } from '#testing';
import type { Held } from './corpus';

const PASSWORD = 'fuzzing-of-the-specs';
const HELD: Omit<Held, 'linkToken'> = {
  shareSecret: 'SecretOfTheHeldShare',
  canary: 'CanarySecretOfOffers',
};

/** Creates alice, a folder of alice, and a link and a share of it to read, for callers without an account. */
export async function holdSomething({ url, adminAuth, instance }: TestGateway): Promise<Held> {
  const { held } = await holdLink(url, adminAuth);
  const { nest } = instance.app;
  await shareWithPartner(nest.get(Database, { strict: false }), nest.get(SecretBox, { strict: false }));
  return held;
}

/** The same without the share. @returns also alice's Authorization header */
export async function holdLink(url: string, adminAuth: string): Promise<{ held: Held; auth: string }> {
  const ask = async (
    method: string,
    path: string,
    authorization: string,
    body?: string | URLSearchParams,
  ): Promise<Response> => {
    const reply = await fetch(url + path, { method, headers: { authorization }, body });
    if (!reply.ok) throw new Error(`${method} ${path} was answered ${reply.status}`);
    return reply;
  };
  const alice = basicAuth('alice', PASSWORD);
  const account = new URLSearchParams({ userid: 'alice', password: PASSWORD });
  await ask('POST', '/ocs/v2.php/cloud/users?format=json', adminAuth, account);
  await ask('MKCOL', '/remote.php/webdav/held', alice);
  await ask('PUT', '/remote.php/webdav/held/inner.txt', alice, 'content');
  const link = new URLSearchParams({ path: '/held', shareType: '3', permissions: '1' });
  const made = await ask('POST', '/ocs/v2.php/apps/files_sharing/api/v1/shares?format=json', alice, link);
  const { ocs } = (await made.json()) as { ocs: { data: { token: string } } };
  return { held: { ...HELD, linkToken: ocs.data.token }, auth: alice };
}

/** A share of the folder to read, in the state after its delivery to the partner. */
async function shareWithPartner(database: Database, secrets: SecretBox): Promise<void> {
  const { id } = await new PeerRepository(database).ensure('cloud.partner.example');
  const { shareSecret } = HELD;
  await database.dataSource.query(
    `INSERT INTO share (share_type, node_id, owner_uid, initiator_uid, recipient, recipient_canonical, permissions,
       token_hmac, token_enc, peer_id, delivery_state, delivered_at, acceptance)
     SELECT 6, id, owner_uid, owner_uid, 'bea@cloud.partner.example', 'bea@cloud.partner.example', 1, $1, $2, $3,
       'delivered', now(), 'accepted' FROM node WHERE owner_uid = 'alice' AND path = 'held'`,
    [secrets.lookup(shareSecret), secrets.seal(shareSecret), id],
  );
}
