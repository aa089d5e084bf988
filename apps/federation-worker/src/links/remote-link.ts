import type { LinkFailure, LinkReader } from '#federation/exchange';
import { LINK_DIALECT, type LinkPlace } from '#federation/protocol';
import {
  RemoteFailure,
  type RemoteEntry,
  type RemoteFailureCode,
  type RemoteFiles,
  type RemoteShare,
} from '#federation/remote-files';
import { LINK_CHECK_PERMIT } from '#sharing';
import { ROOT } from '#storage';

const PROBE_MS = 10_000;
const FIRST_BYTE = { start: 0, end: 0 };

const FAILURES: Partial<Record<RemoteFailureCode, LinkFailure>> = {
  unreachable: 'away',
  barred: 'away',
  denied: 'denied',
  forbidden: 'forbidden',
  missing: 'missing',
};

/** A public link on its server, read before it becomes a share. */
export class RemoteLink implements LinkReader<RemoteEntry> {
  private readonly link: RemoteShare;

  constructor(
    private readonly files: RemoteFiles,
    { id, hostKey }: { readonly id: number; readonly hostKey: string },
    place: LinkPlace,
    sealedSecret: Buffer,
  ) {
    const access = { link: place };
    const unstored = { receivedShareId: 0, providerId: '', name: '' };
    this.link = { ...unstored, peerId: id, hostKey, dialect: LINK_DIALECT, access, sealedSecret };
  }

  entries(depth: 0 | 1): Promise<readonly RemoteEntry[] | LinkFailure> {
    return orFailure(this.files.probe(this.link, ROOT, depth, PROBE_MS));
  }

  async tryToRead({ path }: RemoteEntry): Promise<LinkFailure | undefined> {
    const read = await orFailure(this.files.read(this.link, path, FIRST_BYTE, LINK_CHECK_PERMIT));
    if (typeof read === 'string') return read;
    read.body.on('error', () => undefined).destroy();
    return undefined;
  }
}

async function orFailure<T>(call: Promise<T>): Promise<T | LinkFailure> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof RemoteFailure) return FAILURES[error.code] ?? 'other';
    throw error;
  }
}
