import type { RenamePorts } from '#federation/exchange';
import { RemoteFailure, type RemoteFiles, type RemoteShare } from '#federation/remote-files';
import { randomToken, type SecretBox } from '#platform';
import { ROOT } from '#sharing';

const PROBE_MS = 10_000;
/** Length of a token without a share: a server that shows content for it does not check secrets. */
const RANDOM_SECRET_LENGTH = 32;

/** Requests shares from a server with their secrets, and with a secret that no share has. */
export function secretsProof(
  files: Pick<RemoteFiles, 'probe'>,
  secrets: SecretBox,
): Pick<RenamePorts<RemoteShare, unknown>, 'shows' | 'showsWithoutSecret'> {
  return {
    shows: (share) => isShown(files, share),
    showsWithoutSecret: (share) =>
      isShown(files, { ...share, sealedSecret: secrets.seal(randomToken(RANDOM_SECRET_LENGTH)) }),
  };
}

async function isShown(files: Pick<RemoteFiles, 'probe'>, share: RemoteShare): Promise<boolean> {
  try {
    return (await files.probe(share, ROOT, 0, PROBE_MS)).length > 0;
  } catch (error) {
    if (error instanceof RemoteFailure) return false;
    throw error;
  }
}
