import { AutoAcceptance } from '#storage';
import { FolderRefresh } from './folder-refresh';
import { LookAtShare } from './look-at-share';
import { PartnerHealth } from './partner-health';
import { ReceivedShareWatch } from './received-share-watch';

/** Nest providers of what looks at received shares. */
export const RECONCILIATION = [PartnerHealth, FolderRefresh, AutoAcceptance, LookAtShare, ReceivedShareWatch];
