import { SetMetadata, type CustomDecorator } from '@nestjs/common';

/** Key under which a handler keeps what the API document says of it. */
export const ROUTE_DESCRIPTION = 'drawbridge:route-description';

/** A JSON Schema of named values. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** What the API document says of a route, beside what its declaration says itself. */
export interface RouteDescription {
  /** What the call does, in one sentence. */
  readonly summary: string;
  /** JSON Schema of its body, where that is not a table of OCS parameters. */
  readonly body?: ObjectSchema;
  /** Media type of the body; application/json where absent. */
  readonly bodyType?: string;
  /** JSON Schema of its query, likewise. */
  readonly query?: ObjectSchema;
  /** What its answers mean, by HTTP status, where it does not answer in an OCS envelope. */
  readonly answers?: Readonly<Record<number, string>>;
}

/** Describes a route; one without a description fails the generation of the API document. */
export const Describe = (
  summary: string,
  more: Omit<RouteDescription, 'summary'> = {},
): CustomDecorator<string> => SetMetadata(ROUTE_DESCRIPTION, { summary, ...more });
