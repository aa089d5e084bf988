import { Foundation1764000000001 } from './0001-foundation';
import { Notifications1764000000002 } from './0002-notifications';
import { Federation1764000000003 } from './0003-federation';
import { FederatedShares1764000000004 } from './0004-federated-shares';
import { Inbound1764000000005 } from './0005-inbound';

/** All migrations, oldest first. A new one is appended; none is ever edited after a release. */
export const MIGRATIONS = [
  Foundation1764000000001,
  Notifications1764000000002,
  Federation1764000000003,
  FederatedShares1764000000004,
  Inbound1764000000005,
];
