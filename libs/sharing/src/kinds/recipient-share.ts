import { attributesText, permissionsFromAttributes } from '../domain/attributes';
import { ALL } from '../domain/permissions';
import type { ShareChange, ShareToStore } from '../ports/ports';
import { nameInTreeOf } from './command-path';
import type { ChangeContext, NewShareContext, ShareDraft } from './share-kind';

/** Older clients send permissions as attributes. Without any permissions in the request, the default applies. */
export function requestedPermissions({ policy, command }: NewShareContext): number {
  const { permissions, attributes } = command;
  return (
    permissions ?? (attributes ? (permissionsFromAttributes(attributes) ?? 0) : policy.defaultPermissions)
  );
}

/** Members of a new share that do not depend on its kind. */
export const draftFields = (
  { caller, command }: NewShareContext,
  { permissions, expiresOn, attributes }: ShareDraft,
): Pick<ShareToStore, 'initiatorUid' | 'permissions' | 'expiresOn' | 'attributes' | 'note'> => ({
  initiatorUid: caller.uid,
  permissions,
  expiresOn,
  attributes: attributesText(attributes),
  note: command.note || null,
});

/** Requested place in the recipient's tree: in the folder for received shares. */
export function targetBelowShareFolder({ policy, command }: NewShareContext): string {
  const folder = policy.shareFolder === '/' ? '' : policy.shareFolder;
  return `${folder}/${nameInTreeOf(command)}`;
}

/** A change of expiry and permissions. */
export function changeOfRecipientShare({ command, expiry, permissions }: ChangeContext): ShareChange {
  const change = expiry();
  const asked = command.permissions ?? (command.attributes && permissionsFromAttributes(command.attributes));
  return asked === undefined ? change : { ...change, permissions: permissions(asked) };
}

export const unlimited = (): number => ALL;
