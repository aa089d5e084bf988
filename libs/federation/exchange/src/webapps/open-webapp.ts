import { MUST_USE_MFA, webappOf, type Webapp } from '#federation/protocol';
import {
  isMounted,
  unmetRequirements,
  type CallerSession,
  type PolicySource,
  type ReceivedShareState,
} from '#sharing';

/** A received share whose web application its recipient opens. */
export interface EnterableShare {
  readonly id: number;
  readonly hostKey: string;
  readonly name: string;
  readonly state: ReceivedShareState;
  readonly access: Readonly<Record<string, unknown>>;
}

/** The way into an application: the browser posts the token to the address. */
export interface WebappEntry {
  readonly uri: string;
  /** Access token, which is valid for a short time. */
  readonly token: string;
}

export interface WebappPorts<Share extends EnterableShare> {
  readonly policy: PolicySource;
  readonly shares: {
    /** One of the user's own shares. */
    find(id: number, recipientUid: string): Promise<Share | undefined>;
    /** Exchanges the secret of the application at its server. @param hosts where it may be, besides that server */
    enter(share: Share, webapp: Webapp, hosts: readonly string[]): Promise<WebappEntry>;
  };
}

/** `unknown`: the caller has no such share, or it has no application. */
export type WebappRefusal = 'unknown' | 'second-factor-needed' | 'requirement-unsupported';

export class WebappRefused extends Error {
  constructor(readonly refusal: WebappRefusal) {
    super(refusal);
  }
}

interface Opened {
  readonly share: EnterableShare;
  readonly webapp: Webapp;
}

/** The application of an accepted share, if its recipient may open it. No server is called. @throws WebappRefused */
export async function findWebapp<Share extends EnterableShare>(
  { policy, shares }: WebappPorts<Share>,
  id: number,
  recipientUid: string,
  session: CallerSession,
): Promise<Opened & { readonly share: Share }> {
  const share = await shares.find(id, recipientUid);
  const webapp = share && isMounted(share) ? webappOf(share.access) : undefined;
  if (!share || !webapp || !(await policy.current()).federation.webapps.incoming)
    throw new WebappRefused('unknown');
  const requirements = Array.isArray(share.access.requirements) ? share.access.requirements : [];
  const unmet = unmetRequirements(requirements as string[], session);
  if (unmet.length > 0) throw new WebappRefused(refusalOf(unmet));
  return { share, webapp };
}

/** Opens it. @throws WebappRefused, and the failures of its server */
export async function openWebapp<Share extends EnterableShare>(
  ports: WebappPorts<Share>,
  id: number,
  recipientUid: string,
  session: CallerSession,
): Promise<Opened & { readonly entry: WebappEntry }> {
  const { share, webapp } = await findWebapp(ports, id, recipientUid, session);
  const { webappHosts } = (await ports.policy.current()).federation;
  return { share, webapp, entry: await ports.shares.enter(share, webapp, webappHosts) };
}

const refusalOf = (unmet: readonly string[]): WebappRefusal =>
  unmet.length === 1 && unmet[0] === MUST_USE_MFA ? 'second-factor-needed' : 'requirement-unsupported';
