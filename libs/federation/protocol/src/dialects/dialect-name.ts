/** Forms of the protocol between servers. Source: federation-facts 1. */
export type Dialect = 'ocm-multi' | 'ocm-webdav' | 'legacy';
