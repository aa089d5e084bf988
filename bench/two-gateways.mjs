// Two gateways that share with each other, for measurements between organisations.
import { authorization } from './cases.mjs';
import { KEY } from './delivery-processes.mjs';
import { writeActors } from './seed.mjs';
import { bytesOf, openProduct, withClosers } from './world.mjs';

const ENVIRONMENT = {
  ENCRYPTION_KEY: KEY,
  FEDERATION_ALLOW_HTTP: 'true',
  FEDERATION_ALLOW_ADDRESSES: '127.0.0.0/8',
  FEDERATION_SYNC_WAIT: '10s',
};
const SHARES = '/ocs/v2.php/apps/files_sharing/api/v1/shares';
const REMOTE_SHARES = '/ocs/v2.php/apps/files_sharing/api/v1/remote_shares';

/** The account at each side. */
export const OWNER = 'owner';
export const RECIPIENT = 'recipient';

/** A gateway with its database and one account. The functions in `closers` remove them. */
async function openSide(uid, closers) {
  const { gateway, database } = await openProduct(ENVIRONMENT, undefined, closers);
  await writeActors(database, { [uid]: { uid } });
  const headers = { authorization: authorization(uid) };
  const send = (method, path, more) =>
    bytesOf(gateway, { method, path, headers: { ...headers, ...more?.headers }, body: more?.body });
  const dav = (method, path, more) => send(method, `/remote.php/webdav${path}`, more);
  const ocs = async (method, path, form) => {
    const body = form && new URLSearchParams(form);
    return JSON.parse(
      await send(method, `${path}?format=json`, { headers: { 'ocs-apirequest': 'true' }, body }),
    ).ocs.data;
  };
  return { gateway, database, dav, ocs };
}

/** The owner shares `folders` folders with the recipient, who accepts them. */
async function share({ owner, recipient }, folders) {
  const shareWith = `${RECIPIENT}@${new URL(recipient.gateway.url).host}`;
  for (const path of folders) {
    await owner.dav('MKCOL', path);
    await owner.ocs('POST', SHARES, { path, shareType: '6', shareWith, permissions: '31' });
  }
  for (const { id } of await recipient.ocs('GET', `${REMOTE_SHARES}/pending`))
    await recipient.ocs('POST', `${REMOTE_SHARES}/pending/${id}`);
  for (const path of folders) await recipient.dav('PROPFIND', path, { headers: { depth: '0' } });
}

/** Runs `use` with both gateways and the names of accepted folders, and removes the gateways after it. */
export const withTwoGateways = (count, use) =>
  withClosers(async (closers) => {
    const folders = Array.from({ length: count }, (_, number) => `/room-${number}`);
    const sides = { owner: await openSide(OWNER, closers), recipient: await openSide(RECIPIENT, closers) };
    await share(sides, folders);
    return use({ ...sides, folders });
  });
