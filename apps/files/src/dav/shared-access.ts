import type { DavBase, LinkProperties, NodePath, SharedNodeView } from '#storage';

/** Access of the holder of a share's secret: a visitor of a public link, or a partner's server. */
export interface SharedAccess {
  readonly view: SharedNodeView;
  /** Where the address of the request leads in `view`. */
  readonly path: NodePath;
  /** Properties of the link on its root; undefined where it shows none. */
  readonly linkProperties: LinkProperties | undefined;
  /** Whether files can be put there, and nothing else be done. */
  readonly isDrop: boolean;
}

/** A request that comes with the secret of a share. */
export interface SharedRequest {
  readonly start: DavBase;
  readonly method: string;
  readonly authorization: string | undefined;
  readonly userAgent: string | undefined;
  readonly query: Readonly<Record<string, unknown>>;
  /** Signature by which the page of a protected link adds files: the query of a signed address, in a header. */
  readonly uploadSignature: string | undefined;
  /** By a script on a page, as `X-Requested-With` says. */
  readonly isByScript: boolean;
  /** `Cookie` header, by which somebody may be signed in here. */
  readonly cookies: string | undefined;
  /** Of whoever makes it. */
  readonly address: string;
}
