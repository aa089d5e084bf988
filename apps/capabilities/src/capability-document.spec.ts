import type { CapabilityEntry } from '#persistence';
import { policyFrom, type Compatibility } from '#sharing';
import { capabilityDocument, serverStatus } from './capability-document';

interface Given {
  readonly settings?: Readonly<Record<string, string>>;
  readonly compatibility?: Compatibility;
  readonly entries?: Readonly<Record<string, CapabilityEntry>>;
  readonly canShare?: boolean;
  readonly canCreateLinks?: boolean;
}

// Looked into as clients do: whatever is there.
type Looked = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any

function capabilities(given: Given = {}): Looked {
  const { canShare = true, canCreateLinks = true, compatibility = 'documented' } = given;
  const policy = policyFrom(new Map(Object.entries(given.settings ?? {})));
  const entries = new Map(Object.entries(given.entries ?? {}));
  return (capabilityDocument(policy, { canShare, canCreateLinks }, entries, compatibility) as Looked).capabilities;
}
