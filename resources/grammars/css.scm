; Rules by their selector, and what they define.
(rule_set (selectors) @name (block) @body) @definition.class
(keyframes_statement (keyframes_name) @name) @definition.function
(declaration (property_name) @name (#match? @name "^--")) @definition.variable
