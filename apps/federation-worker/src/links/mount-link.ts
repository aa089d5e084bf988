import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { acceptReceived } from '#federation/exchange';
import {
  LINK_DIALECT,
  LINK_PLACES,
  linkKeysText,
  type LinkPlace,
  type NamedLinkKeys,
  type PeerProfile,
} from '#federation/protocol';
import {
  Database,
  ForeignLinkRepository,
  ReceivedShareRepository,
  type PeerRow,
  type Transaction,
  type WaitingLink,
} from '#persistence';
import { actingFor, SecretBox } from '#platform';
import { CachedPolicy } from '#settings';
import { INQUIRERS_LEAVE, SHARE } from '#sharing';
import {
  REMOTE_FILES,
  RemoteFailure,
  type RemoteEntry,
  type RemoteFailureCode,
  type RemoteFiles,
  type RemoteShare,
} from '#federation/remote-files';
import { parseName, ReceivedShareAcceptance, ROOT, TreeFailure } from '#storage';

const PROBE_MS = 10_000;
const READ = 1;
const FIRST_BYTE = { start: 0, end: 0 };

/** Why a link cannot be mounted; undefined where it is. */
type Hindrance = LinkHindrance | 'full' | undefined;
/** Why no place shows a link. */
export type LinkHindrance = 'unsupported' | 'refused' | 'wrong-password' | 'unknown-link' | 'unreachable';
type Found = { readonly place: LinkPlace; readonly root: RemoteEntry };

/** Mounts a public link of a server that offers no shares for links: its content is read with the link's own token and password. */
@Injectable()
export class MountLink {
  constructor(
    @Inject(REMOTE_FILES) private readonly files: RemoteFiles,
    private readonly links: ForeignLinkRepository,
    private readonly shares: ReceivedShareRepository,
    private readonly acceptance: ReceivedShareAcceptance,
    private readonly policy: CachedPolicy,
    private readonly secrets: SecretBox,
    private readonly database: Database,
  ) {}

  async mount(
    link: WaitingLink,
    peer: PeerRow,
    profile: PeerProfile,
    keys: NamedLinkKeys,
  ): Promise<Hindrance> {
    const found = await this.find(peer, profile, keys);
    if (typeof found === 'string') return found;
    const { place, root } = found;
    const person = `public@${profile.baseUrl}`;
    const id = await this.shares.insert(
      {
        peerId: peer.id,
        providerId: `link-${link.id}`,
        // No message of a partner is about it, so no secret finds it.
        tokenHmac: randomBytes(32),
        tokenEnc: this.secrets.seal(linkKeysText(keys)),
        recipientUid: link.uid,
        ...{ owner: person, ownerDisplayName: '', sender: person, senderDisplayName: '' },
        name: nameOf(keys, peer),
        description: '',
        kind: root.kind,
        permissions: (root.permissions ?? READ) & ~SHARE,
        expiresAt: null,
        dialect: LINK_DIALECT,
        access: { link: place },
        verified: true,
      },
      '',
    );
    if (typeof id !== 'number') return 'full';
    await this.accept(link, id);
    return undefined;
  }

  /** Why its server does not let a link be saved: `refused` where it shows the link all the same. */
  async causeOf(peer: PeerRow, profile: PeerProfile, keys: NamedLinkKeys): Promise<LinkHindrance> {
    const found = await this.find(peer, profile, keys);
    return typeof found === 'string' && found !== 'unsupported' ? found : 'refused';
  }

  /** The first place that shows the link. */
  private async find(
    peer: PeerRow,
    profile: PeerProfile,
    keys: NamedLinkKeys,
  ): Promise<Found | LinkHindrance> {
    const sealedSecret = this.secrets.seal(linkKeysText(keys));
    const answers: RemoteFailureCode[] = [];
    for (const place of LINK_PLACES) {
      try {
        const link = linkAt(peer, place, sealedSecret);
        const [root] = await this.files.probe(link, ROOT, 0, PROBE_MS);
        if (root) return (await this.isShown(link, root)) ? { place, root } : 'refused';
      } catch (error) {
        if (!(error instanceof RemoteFailure)) throw error;
        if (error.code === 'unreachable' || error.code === 'barred') return 'unreachable';
        answers.push(error.code);
      }
    }
    return hindranceOf(answers, profile);
  }

  /**
   * Whether its content can be had: a folder that only takes files has a root too and lists nothing, and of a link in view-only mode no
   * file can be read.
   */
  private async isShown(link: RemoteShare, root: RemoteEntry): Promise<boolean> {
    if (root.permissions !== null && (root.permissions & READ) === 0) return false;
    try {
      const entries = root.kind === 'file' ? [root] : await this.files.probe(link, ROOT, 1, PROBE_MS);
      const file = entries.find(({ kind, size }) => kind === 'file' && size > 0);
      if (!file) return true;
      const { body } = await this.files.read(link, file.path, FIRST_BYTE, INQUIRERS_LEAVE);
      body.on('error', () => undefined).destroy();
      return true;
    } catch (error) {
      if (error instanceof RemoteFailure && (error.code === 'denied' || error.code === 'forbidden'))
        return false;
      throw error;
    }
  }

  private accept({ id, uid }: WaitingLink, receivedShareId: number): Promise<void> {
    const acceptIn = async (transaction: Transaction): Promise<void> => {
      const row = await this.shares.lock(transaction, receivedShareId, uid);
      if (!row) return;
      const { shareFolder } = await this.policy.current();
      await acceptReceived(this.acceptance.within(transaction), row, shareFolder);
      await this.links.save(transaction, id, row.id);
    };
    return actingFor({ kind: 'user', uid }, () => this.database.transaction(acceptIn));
  }
}

/**
 * The first place says the same of a link that is not there and of a wrong password; the second tells them apart, and Nextcloud
 * does not have it.
 */
function hindranceOf([first, second]: readonly RemoteFailureCode[], { product }: PeerProfile): LinkHindrance {
  if (second === 'denied') return 'wrong-password';
  if (second === 'missing' && product !== 'nextcloud') return 'unknown-link';
  return first === 'denied' ? 'refused' : 'unsupported';
}

/** The wished name, where nodes can have it. */
function nameOf({ name }: NamedLinkKeys, { hostKey }: PeerRow): string {
  try {
    return parseName(name);
  } catch (error) {
    if (error instanceof TreeFailure) return `Link of ${hostKey.replace(/[^\w.-]/g, ' ').slice(0, 200)}`;
    throw error;
  }
}

const linkAt = ({ id, hostKey }: PeerRow, place: LinkPlace, sealedSecret: Buffer): RemoteShare => ({
  receivedShareId: 0,
  peerId: id,
  hostKey,
  dialect: LINK_DIALECT,
  providerId: '',
  name: '',
  access: { link: place },
  sealedSecret,
});
