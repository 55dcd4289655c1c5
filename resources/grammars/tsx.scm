; JSX elements in TypeScript.
(jsx_opening_element name: (identifier) @name) @reference.usage
(jsx_self_closing_element name: (identifier) @name) @reference.usage
(jsx_expression (identifier) @name @reference.usage)
