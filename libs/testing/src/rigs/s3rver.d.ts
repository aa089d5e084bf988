declare module 's3rver' {
  import type { AddressInfo } from 'node:net';
  import type { Readable } from 'node:stream';

  /** The parts of a Koa context that a rig needs. */
  export interface S3Call {
    readonly method: string;
    readonly path: string;
    readonly query: Readonly<Record<string, string | undefined>>;
    status: number;
    type: string;
    body: unknown;
    get(header: string): string;
  }

  export default class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly silent: boolean;
      readonly directory: string;
      readonly configureBuckets: readonly { readonly name: string; readonly configs: readonly string[] }[];
    });
    readonly middleware: ((call: S3Call, next: () => Promise<void>) => Promise<void>)[];
    readonly store: {
      getObject(
        bucket: string,
        key: string,
        range: { start: number; end: number },
      ): Promise<{ content: Readable }>;
      putPart(bucket: string, uploadId: string, part: number, content: Readable): Promise<{ md5: string }>;
    };
    run(): Promise<AddressInfo>;
    close(): Promise<void>;
  }
}
