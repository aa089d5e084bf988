/** The shapes in which servers speak to each other. Source: federation-facts 1. */
export type Dialect = 'ocm-multi' | 'ocm-webdav' | 'legacy';
