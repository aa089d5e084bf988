import { PartnerHealth } from './partner-health';
import { ReceivedShareWatch } from './received-share-watch';
import { StoredShareWatch } from './stored-share-watch';

/** Nest providers that probe received shares. */
export const RECONCILIATION = [PartnerHealth, StoredShareWatch, ReceivedShareWatch];
