export { GatedFiles } from './gated-files';
export { LONG_PATIENCE_MS, PATIENCE_MS, PROBE_MS, within } from './patience';
export { RemoteFailure, type ContactResult, type RemoteFailureCode } from './remote-failure';
export {
  REMOTE_FILES,
  type RemoteContent,
  type RemoteEntry,
  type RemoteFiles,
  type RemotePage,
  type RemoteShare,
  type RemoteWrite,
} from './remote-files';
