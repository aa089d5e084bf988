import {
  LINK_DIALECT,
  LINK_PLACES,
  linkKeysText,
  type LinkPlace,
  type NamedLinkKeys,
  type PeerProfile,
} from '#federation/protocol';
import { READ, SHARE } from '#sharing';
import type {
  ForeignLinkEntry,
  LinkFailure,
  LinkReader,
  LinkToSave,
  MountLinkPorts,
} from '../ports/foreign-links';
import type { ReachedPartner } from '../ports/reached-partners';
import { acceptReceived } from '../received/decide-received';

/** Reason why neither address shows a link. */
export type LinkHindrance = 'unsupported' | 'refused' | 'wrong-password' | 'unknown-link' | 'unreachable';
type Found = { readonly place: LinkPlace; readonly root: ForeignLinkEntry };

/** A link on its server, with its token and password. */
export interface LinkAtServer<Partner extends ReachedPartner> {
  readonly partner: Partner;
  readonly profile: PeerProfile;
  readonly keys: NamedLinkKeys;
}

/**
 * Mounts a public link of a server that makes no offers for links: its content is read with the link's own token and password.
 * @returns the reason why it cannot be mounted; undefined if it was
 */
export async function mountLink<Partner extends ReachedPartner>(
  ports: MountLinkPorts<Partner>,
  link: LinkToSave,
  at: LinkAtServer<Partner>,
): Promise<LinkHindrance | 'full' | undefined> {
  const found = await findLink(ports, at);
  if (typeof found === 'string') return found;
  const { place, root } = found;
  const { partner, profile, keys } = at;
  const person = `public@${profile.baseUrl}`;
  const id = await ports.keep(link.uid, {
    peerId: partner.id,
    providerId: `link-${link.id}`,
    tokenEnc: ports.secrets.seal(linkKeysText(keys)),
    ...{ owner: person, ownerDisplayName: '', sender: person, senderDisplayName: '' },
    name: nameOf(ports, keys, partner),
    description: '',
    kind: root.kind,
    permissions: (root.permissions ?? READ) & ~SHARE,
    expiresAt: null,
    dialect: LINK_DIALECT,
    access: { link: place },
    webappTokenEnc: null,
    verified: true,
  });
  if (id === undefined) return 'full';
  await accept(ports, link, id);
  return undefined;
}

/** Reason why a server refuses to save a link: `refused` if it shows the link nevertheless. */
export async function causeOfRefusal<Partner extends ReachedPartner>(
  ports: MountLinkPorts<Partner>,
  at: LinkAtServer<Partner>,
): Promise<LinkHindrance> {
  const found = await findLink(ports, at);
  return typeof found === 'string' && found !== 'unsupported' ? found : 'refused';
}

/** The first address that shows the link. */
async function findLink<Partner extends ReachedPartner>(
  ports: MountLinkPorts<Partner>,
  { partner, profile, keys }: LinkAtServer<Partner>,
): Promise<Found | LinkHindrance> {
  const sealedKeys = ports.secrets.seal(linkKeysText(keys));
  const failures: LinkFailure[] = [];
  for (const place of LINK_PLACES) {
    const reader = ports.reader(partner, place, sealedKeys);
    const root = await rootOf(reader);
    if (root === 'away') return 'unreachable';
    if (typeof root === 'string') failures.push(root);
    else if (root) return { place, root };
    else return 'refused';
  }
  return hindranceOf(failures, profile);
}

/**
 * The root of a link with readable content. A folder that only accepts files also has a root, but lists nothing; in a view-only
 * link no file can be read.
 * @returns undefined if the content cannot be read
 */
async function rootOf(reader: LinkReader): Promise<ForeignLinkEntry | undefined | LinkFailure> {
  const found = await reader.entries(0);
  if (typeof found === 'string') return found;
  const [root] = found;
  if (!root) return 'other';
  if (root.permissions !== null && (root.permissions & READ) === 0) return undefined;
  const entries = root.kind === 'file' ? [root] : await reader.entries(1);
  const failure = typeof entries === 'string' ? entries : await failureOfReading(reader, entries);
  if (failure === 'denied' || failure === 'forbidden') return undefined;
  return failure ?? root;
}

async function failureOfReading(
  reader: LinkReader,
  entries: readonly ForeignLinkEntry[],
): Promise<LinkFailure | undefined> {
  const file = entries.find(({ kind, size }) => kind === 'file' && size > 0);
  return file && reader.tryToRead(file);
}

async function accept(
  { acceptance }: Pick<MountLinkPorts, 'acceptance'>,
  { id, uid }: LinkToSave,
  receivedShareId: number,
): Promise<void> {
  const { shareFolder } = await acceptance.policy.current();
  await acceptance.change({ uid }, async (shares) => {
    const share = await shares.lock(receivedShareId, uid);
    if (!share) return;
    await acceptReceived(shares, share, shareFolder);
    await shares.saveLink(id, share.id);
  });
}

/**
 * The first address gives the same answer for a missing link and for a wrong password. The second distinguishes them, but Nextcloud
 * does not have it.
 */
function hindranceOf([first, second]: readonly LinkFailure[], { product }: PeerProfile): LinkHindrance {
  if (second === 'denied') return 'wrong-password';
  if (second === 'missing' && product !== 'nextcloud') return 'unknown-link';
  return first === 'denied' ? 'refused' : 'unsupported';
}

/** The requested name, if nodes can have it. */
const nameOf = (
  { isName }: Pick<MountLinkPorts, 'isName'>,
  { name }: NamedLinkKeys,
  { hostKey }: ReachedPartner,
): string => (isName(name) ? name : `Link of ${hostKey.replace(/[^\w.-]/g, ' ').slice(0, 200)}`);
