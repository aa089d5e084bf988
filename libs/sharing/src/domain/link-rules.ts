import { passwordFault } from './password-rules';
import { mayShare, type LinkPasswordRule, type SharingPolicy } from './policy';
import {
  ALL,
  clampToKind,
  CREATE,
  DELETE,
  isLinkPermission,
  linkPermissionsAtCreation,
  READ,
  UPDATE,
  type NodeKind,
} from './permissions';
import { SharingFailed } from './sharing-failed';

const MAX_NAME_CHARACTERS = 64;
const UPLOAD = READ | UPDATE | CREATE | DELETE;

/** Link parameters of a request; undefined for those that were not sent. */
export interface LinkWish {
  readonly permissions: number | undefined;
  /** true or false; any other value counts as not sent. */
  readonly publicUpload: boolean | undefined;
}

/**
 * The permissions of a new link. Source: ocs-facts 6.
 *
 * @param mayUpdateFile whether a file's link may hold update; without it a file's link is read-only
 * @throws SharingFailed public-upload-disabled, public-upload-on-file
 */
export function newLinkPermissions(
  wish: LinkWish,
  kind: NodeKind,
  policy: SharingPolicy,
  mayUpdateFile: boolean,
): number {
  const wantsUpload = wish.publicUpload === true || wish.permissions === CREATE;
  if (wantsUpload && !policy.links.publicUpload) throw new SharingFailed('public-upload-disabled');
  if (wantsUpload && kind === 'file') throw new SharingFailed('public-upload-on-file');
  if (wish.permissions !== undefined && (wish.permissions & CREATE) !== 0 && !policy.links.publicUpload)
    throw new SharingFailed('public-upload-disabled');
  const permissions = clampToKind(
    linkPermissionsAtCreation(wish.permissions, wish.publicUpload === true),
    kind,
  );
  return kind === 'file' && !mayUpdateFile ? READ : permissions;
}

/**
 * The permissions of a link after an update; undefined if they do not change. Source: ocs-facts 6.
 *
 * @param mayChange whether a request may give permissions as a number
 * @throws SharingFailed link-permissions, public-upload-disabled, public-upload-on-file
 */
export function changedLinkPermissions(
  wish: LinkWish,
  kind: NodeKind,
  policy: SharingPolicy,
  mayChange: boolean,
): number | undefined {
  if (wish.permissions !== undefined && !mayChange) {
    // Upload on a file has its own refusal, whether or not permissions can be given as a number.
    const uploadsOnFile =
      kind === 'file' && isLinkPermission(wish.permissions) && (wish.permissions & CREATE) !== 0;
    throw new SharingFailed(uploadsOnFile ? 'public-upload-on-file' : 'link-permissions');
  }
  const fromUpload = wish.publicUpload === undefined ? undefined : wish.publicUpload ? UPLOAD : READ;
  const permissions = wish.permissions ?? fromUpload;
  if (permissions === undefined) return undefined;
  if (!isLinkPermission(permissions)) throw new SharingFailed('link-permissions');
  if ((permissions & CREATE) === 0) return permissions;
  if (!policy.links.publicUpload) throw new SharingFailed('public-upload-disabled');
  if (kind === 'file') throw new SharingFailed('public-upload-on-file');
  return permissions;
}

/** The switch that enforces a password for these permissions; undefined if none does. Source: ocs-facts 7. */
function enforcingSwitch(permissions: number): keyof LinkPasswordRule | undefined {
  if (permissions === READ) return 'readOnly';
  if (permissions === (READ | CREATE)) return 'readWrite';
  if (permissions === CREATE) return 'uploadOnly';
  return permissions === UPLOAD || permissions === (READ | UPDATE) ? 'readWriteDelete' : undefined;
}

/** @throws SharingFailed link-upload-off, link-password-enforced */
export function assertLinkAllowed(permissions: number, hasPassword: boolean, policy: SharingPolicy): void {
  if (!policy.links.publicUpload && (permissions & (UPDATE | CREATE | DELETE)) !== 0)
    throw new SharingFailed('link-upload-off');
  const rule = enforcingSwitch(permissions);
  if (!hasPassword && rule !== undefined && policy.links.password[rule])
    throw new SharingFailed('link-password-enforced');
}

/** Judges the new password of a link. @throws SharingFailed link-password-refused with the reason */
export function assertLinkPassword(password: string, policy: SharingPolicy): void {
  const reason = passwordFault(policy.passwords, password);
  if (reason !== undefined) throw new SharingFailed('link-password-refused', { reason });
}

/** Refuses arguments of links for other shares. @throws SharingFailed only-for-links with the first of them that was given */
export function assertOnlyForLinks(given: {
  readonly password: string | undefined;
  readonly publicUpload: boolean | undefined;
}): void {
  for (const name of ['password', 'publicUpload'] as const)
    if (given[name] !== undefined) throw new SharingFailed('only-for-links', { name });
}

/** The label as it will be stored; null for none. @throws SharingFailed link-name-too-long */
export function parseLinkName(raw: string): string | null {
  if ([...raw].length > MAX_NAME_CHARACTERS) throw new SharingFailed('link-name-too-long');
  return raw === '' ? null : raw;
}

/** Reason why links, or this link, give no access under the policy and the state of the initiator. */
export type LinkClosed = 'links-off' | 'initiator-barred';

/** Permissions that links can give at all: none to write while public upload is off. Source: ocs-facts 12. */
export const permissionsThroughLinks = (policy: SharingPolicy): number =>
  policy.links.publicUpload ? ALL : ALL & ~(UPDATE | CREATE | DELETE);

/**
 * The permissions of a link that count under the present policy, even if the link was made with more.
 * @param initiator maker of the link; undefined when the account is gone
 * @returns a mask over the link's permissions, or the reason why there is no access at all
 */
export function grantedThroughLink(
  policy: SharingPolicy,
  initiator: { readonly enabled: boolean; readonly groups: readonly string[] } | undefined,
): number | LinkClosed {
  if (!policy.apiEnabled || !policy.links.enabled) return 'links-off';
  if (!initiator?.enabled || !mayShare(policy, initiator.groups)) return 'initiator-barred';
  return permissionsThroughLinks(policy);
}
