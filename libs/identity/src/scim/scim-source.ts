import type { LiveScimClient } from '#persistence';
import type { IdentitySource } from '../directories/identity-source';

/** A client as a source of identities. */
export const sourceOf = ({ name }: Pick<LiveScimClient, 'name'>): IdentitySource => ({
  kind: 'scim',
  source: name,
  manages: ['displayName', 'email'],
  takenNames: 'refuse',
  groupsOfSameName: 'separate',
});
