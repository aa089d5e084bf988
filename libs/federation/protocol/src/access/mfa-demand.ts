import type { PeerProfile } from '../peers/peer-profile';

/** Word in an offer: the recipient's server has to open the share only for people with a second factor. */
export const MUST_USE_MFA = 'must-use-mfa';
/** Word in a discovery document: the server can ensure that. Source: OCM 1.4. */
export const CAN_ENFORCE_MFA = 'enforce-mfa';

/** Whether a server promises that it can demand a second factor for shares. */
export const enforcesMfa = ({ capabilities, ocmEndPoint }: PeerProfile): boolean =>
  ocmEndPoint !== null && capabilities.includes(CAN_ENFORCE_MFA);
