/** Base64 in its canonical form: padded, and without bits that decoders ignore, so that two texts never mean the same bytes. */
export const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;
