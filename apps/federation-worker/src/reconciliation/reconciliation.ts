import { AutoAcceptance } from '#storage';
import { FolderRefresh } from './folder-refresh';
import { ProbeShare } from './probe-share';
import { PartnerHealth } from './partner-health';
import { ReceivedShareWatch } from './received-share-watch';

/** Nest providers of what looks at received shares. */
export const RECONCILIATION = [PartnerHealth, FolderRefresh, AutoAcceptance, ProbeShare, ReceivedShareWatch];
