/** Number of factors of a sign-in: a password alone, or a password and something that only the person has. */
export type Strength = 'one_factor' | 'two_factors';
