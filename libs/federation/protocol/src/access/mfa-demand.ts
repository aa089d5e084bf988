import type { PeerProfile } from '../peers/peer-profile';

/** By this word an offer says that the recipient's server opens the share to people with a second factor only. */
export const MUST_USE_MFA = 'must-use-mfa';
/** By this one a server says that it keeps to that. Source: OCM 1.4. */
export const CAN_ENFORCE_MFA = 'enforce-mfa';

/** Whether a server promises that it opens shares to people with a second factor only, where that is required. */
export const enforcesMfa = ({ capabilities, ocmEndPoint }: PeerProfile): boolean =>
  ocmEndPoint !== null && capabilities.includes(CAN_ENFORCE_MFA);
