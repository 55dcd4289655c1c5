; Rules by selector, keyframes and custom properties.
(rule_set (selectors) @name (block) @body) @definition.class
(keyframes_statement (keyframes_name) @name) @definition.function
(declaration (property_name) @name (#match? @name "^--")) @definition.variable
