import type { DavBase, LinkProperties, NodePath, SharedNodeView } from '#storage';

/** What the holder of a share's secret is let in to, be he whoever knows a public link or a partner's server. */
export interface SharedAccess {
  readonly view: SharedNodeView;
  /** Where the address of the request leads in `view`. */
  readonly path: NodePath;
  /** What the root says of the link itself; undefined where it says nothing. */
  readonly linkProperties: LinkProperties | undefined;
  /** Whether an upload gets another name where its own is taken. */
  readonly makesWay: 'always' | 'when-asked';
}

/** A request that comes with the secret of a share. */
export interface SharedRequest {
  readonly start: DavBase;
  readonly method: string;
  readonly authorization: string | undefined;
  readonly userAgent: string | undefined;
  readonly query: Readonly<Record<string, unknown>>;
  /** By a script on a page, as `X-Requested-With` says. */
  readonly isByScript: boolean;
  /** Of whoever makes it. */
  readonly address: string;
}
