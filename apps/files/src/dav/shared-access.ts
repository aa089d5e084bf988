import type { DavBase, LinkProperties, NodePath, SharedNodeView } from '#storage';

/** Access with a share's secret: for a visitor of a public link, or a partner's server. */
export interface SharedAccess {
  readonly view: SharedNodeView;
  /** Path of the request in `view`. */
  readonly path: NodePath;
  /** Properties of the link on its root; undefined for other shares. */
  readonly linkProperties: LinkProperties | undefined;
  /** Whether files can be uploaded, and nothing else is allowed. */
  readonly isDrop: boolean;
}

/** A request with the secret of a share. */
export interface SharedRequest {
  readonly start: DavBase;
  readonly method: string;
  readonly authorization: string | undefined;
  readonly userAgent: string | undefined;
  readonly query: Readonly<Record<string, unknown>>;
  /** Signature with which the page of a protected link uploads files: the query of a signed address, in a header. */
  readonly uploadSignature: string | undefined;
  /** Whether it continues an upload at the upload's own address, which only its sender knows. */
  readonly continuesUpload: boolean;
  /** Whether a script on a page sent it, according to `X-Requested-With`. */
  readonly isByScript: boolean;
  /** `Cookie` header, which may contain a session of this server. */
  readonly cookies: string | undefined;
  /** Address of the client. */
  readonly address: string;
}
