import { CloudIdInvalid, parseCloudId } from '../addresses/federated-cloud-id';
import { peerKeyOf } from '../addresses/host-and-path';
import { OUR_PATHS } from '../discovery/served-documents';
import { SecretText } from '../secret-text';
import { LIMITS } from '../wire/wire-fields';

/** Lifetime of an invitation in milliseconds, the same as at OpenCloud. */
export const INVITATION_VALID_MS = 24 * 3_600_000;

/** A received invitation: its token, and the server that issued it. */
export interface ReceivedInvitation {
  readonly token: SecretText;
  /** Canonical host, with port and path if they are not the usual ones. */
  readonly hostKey: string;
}

/**
 * The text of an invitation: `token@host` in base64url without padding. Source: OCM 1.4, invite format.
 * @param publicUrl our own address
 */
export function invitationText(token: string, publicUrl: string): string {
  return Buffer.from(`${token}@${hostAt(publicUrl)}`).toString('base64url');
}

/** The link of an invitation. Its page sends people on to their own server. @param publicUrl our own address */
export const invitationLink = (token: string, publicUrl: string): string =>
  `${publicUrl}${OUR_PATHS.wayf}?${new URLSearchParams({ token }).toString()}`;

/** Our host, as in `recipientProvider` and in invitations. @param publicUrl our own address */
export function hostAt(publicUrl: string): string {
  return peerKeyOf(parseCloudId(`anybody@${publicUrl}`));
}

/** A token of another server may contain `@`. */
const TOKEN = /^[\w.~+/=@-]+$/;

/** Reads a token and the host that issued it. @returns undefined for an invalid one */
export function readInvitation(token: string, provider: string): ReceivedInvitation | undefined {
  if (token.length > LIMITS.secret || !TOKEN.test(token)) return undefined;
  try {
    return { token: new SecretText(token), hostKey: peerKeyOf(parseCloudId(`anybody@${provider}`)) };
  } catch (error) {
    if (error instanceof CloudIdInvalid) return undefined;
    throw error;
  }
}

/** Reads a text of `invitationText`, from here or elsewhere. @returns undefined for an invalid one */
export function readInvitationText(text: string): ReceivedInvitation | undefined {
  const bare = text.trim();
  if (bare.length > 2 * LIMITS.address || !/^[A-Za-z0-9+/_-]+=*$/.test(bare)) return undefined;
  const decoded = Buffer.from(bare, 'base64').toString('utf8');
  const at = decoded.lastIndexOf('@');
  return at < 1 ? undefined : readInvitation(decoded.slice(0, at), decoded.slice(at + 1));
}
